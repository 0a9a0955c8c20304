import { sql } from "kysely";
import { type CallLimits, type CallPolicy, createCallPolicy } from "../../clients/provider/call-policy.ts";
import { createProviderClient, type ProviderClient } from "../../clients/provider/client.ts";
import {
  createProviderHttp,
  type ProviderHttp,
  type ProviderHttpOptions,
} from "../../clients/provider/http.ts";
import type { SeenDialect } from "../../contract/dialect.ts";
import type { Database, Log } from "../db/database.ts";
import type { Integration } from "../db/schema.ts";
import type { Vault } from "../deps.ts";
import { measureCall, type ProviderCall } from "../metrics/provider-calls.ts";

export interface ProviderClients {
  clientFor(integration: Integration): ProviderClient;
  /** For calls that may be meant to go wrong: guarded and limited as all are, but no sign of whether the provider is well. */
  fetchFor(integration: Integration, signal: AbortSignal): (request: Request) => Promise<Response>;
  close(): Promise<void>;
}

interface Parts {
  database: Pick<Database, "kysely">;
  vault: Vault;
  log: Log;
  http: ProviderHttpOptions;
  /** Of the calls to each provider; what is not given is as DECISIONS has it. */
  limits?: Partial<CallLimits> | undefined;
  /** How many hold the limits together. */
  processes?: () => number;
  /** A provider is no longer called, or is again; also once a minute while it responds. Never rejects. */
  onCircuit?: (providerId: string, state: "open" | "closed") => Promise<void>;
  /** The provider asks for silence (429 with Retry-After, milliseconds), or responds again after that (0). Never rejects. */
  onSilence?: (providerId: string, ms: number) => Promise<void>;
  /** A shift was read: names of its optional fields, and of what was odd about it. */
  onFields?: (providerId: string, fields: readonly string[]) => void;
  /** A call was made, with an answer or without. */
  onCall?: (call: ProviderCall) => void;
}

/** Connections, circuit and rate outlive a change of the integration: calls under way end as they began. */
interface Line {
  http: ProviderHttp;
  policy: CallPolicy;
  /** It has asked for silence, and has not responded since. */
  isSilenced: boolean;
}

/** One client, with connections, a circuit and a rate of its own, for each integration; made anew when the integration was changed. */
export function createProviderClients(parts: Parts): ProviderClients {
  const lines = new Map<string, Line>();
  const known = new Map<string, { version: string; client: ProviderClient }>();
  const saving = new Set<Promise<unknown>>();
  const save = (work: Promise<void>) => {
    const saved = work.finally(() => saving.delete(saved));
    saving.add(saved);
  };
  const lineTo = (providerId: string): Line => lines.get(providerId) ?? openLine(providerId);
  const openLine = (providerId: string): Line => {
    const { limits, processes, onCircuit } = parts;
    // One after the other: the last state is the one that stands.
    let told = Promise.resolve();
    const tell = (state: "open" | "closed") => {
      told = told.then(() => onCircuit?.(providerId, state));
      save(told);
    };
    const policy = createCallPolicy({
      ...(limits && { limits }),
      ...(processes && { processes }),
      onCircuit: tell,
    });
    const line = { http: createProviderHttp(parts.http), policy, isSilenced: false };
    lines.set(providerId, line);
    return line;
  };
  const noteSilence = (line: Line, { provider_id, status, retryAfterMs = 0 }: ProviderCall) => {
    const isAsked = status === 429 && retryAfterMs > 0;
    if (isAsked === line.isSilenced || status === undefined || (status === 429 && !isAsked)) return;
    line.isSilenced = isAsked;
    if (parts.onSilence) save(parts.onSilence(provider_id, isAsked ? retryAfterMs : 0));
  };
  return {
    clientFor: (integration) => {
      const { provider_id, updated_at, provider_token } = integration;
      // The sealed token is another one each time, also within one millisecond.
      const version = `${updated_at.getTime()} ${provider_token}`;
      const before = known.get(provider_id);
      if (before?.version === version) return before.client;
      const line = lineTo(provider_id);
      const client = makeClient(
        integration,
        {
          ...parts,
          onCall: (call) => {
            noteSilence(line, call);
            parts.onCall?.(call);
          },
        },
        line,
        (seen) => save(saveDialect(parts, provider_id, seen)),
      );
      known.set(provider_id, { version, client });
      return client;
    },
    fetchFor: ({ provider_id }, signal) => {
      const { http, policy } = lineTo(provider_id);
      return (request) => {
        const both = AbortSignal.any([request.signal, signal]);
        return policy.runApart(() => http.fetch(new Request(request, { signal: both })), both);
      };
    },
    close: async () => {
      await Promise.all(saving);
      await Promise.all([...lines.values()].map(({ http }) => http.close()));
    },
  };
}

function makeClient(
  integration: Integration,
  { vault, log, onFields, onCall = () => undefined }: Parts,
  { http, policy }: Line,
  onSeen: (seen: SeenDialect) => void,
) {
  return createProviderClient({
    baseUrl: integration.base_url,
    providerId: integration.provider_id,
    token: vault.open(integration.provider_token),
    routing: integration.routing,
    timeZone: integration.time_zone,
    seen: integration.dialect,
    onSeen,
    ...(onFields && { onFields: (fields: readonly string[]) => onFields(integration.provider_id, fields) }),
    fetch: (request, allowance) => {
      const ask = () => tellRefusal(log, integration.provider_id, request, http.fetch(request, allowance));
      return policy.run(() => measureCall(integration, request, ask, onCall), request.signal);
    },
  });
}

/** The forms in which a provider says "not found" or "not offered" (contract 4.2). */
const FORMS_OF_NO = [404, 405, 410];

/** Contract 7.1. Without the query, which may hold a personal number. */
async function tellRefusal(
  log: Log,
  providerId: string,
  request: Request,
  answer: Promise<Response>,
): Promise<Response> {
  const response = await answer;
  const { status } = response;
  if (status >= 400 && status < 500) {
    const call = { method: request.method, path: new URL(request.url).pathname };
    const line = { providerId, traceId: request.headers.get("x-trace-id"), ...call, status };
    if (FORMS_OF_NO.includes(status)) log.debug(line, "the provider answered no");
    else log.warn(line, "the provider refused a call");
  }
  return response;
}

/** Not worth failing a call for: what was seen once will be seen again. */
async function saveDialect({ database, log }: Parts, providerId: string, seen: SeenDialect): Promise<void> {
  try {
    await database.kysely
      .updateTable("integrations")
      // Merged, because of two that are saved at once the one that knows less may be the later.
      .set({ dialect: sql`dialect || ${JSON.stringify(seen)}::jsonb` })
      .where("provider_id", "=", providerId)
      .execute();
  } catch (error) {
    log.warn({ err: error, providerId }, "could not save the dialect of a provider");
  }
}
