import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Routing } from "../../../generated/operations/types.ts";
import {
  type CallOutcome,
  createProviderClient,
  type ProviderClient,
} from "../../clients/provider/client.ts";
import type { ProviderFetch } from "../../clients/provider/global-fetch.ts";
import { ProviderHttpError } from "../../clients/provider/http-error.ts";
import { ONBOARDING_LIMIT_MS } from "../../clients/retry-policy.ts";
import type { SeenDialect } from "../../contract/dialect.ts";
import { HOUR_MS } from "../../contract/timestamp.ts";
import type { Log } from "../db/database.ts";
import { jsonbOf } from "../db/fragments.ts";
import type { Integration } from "../db/schema.ts";
import type { Vault } from "../deps.ts";
import { measureCall, operationOf, type ProviderCall } from "../metrics/observer.ts";
import { boundToSpan, inSpan, traceparentOfSpan } from "../tracing.ts";
import {
  type ConnectionParts,
  connectTo,
  keepSilence,
  openConnection,
  type ProviderConnection,
  requireRouting,
  type Save,
} from "./provider-connection.ts";

export interface ProviderClients {
  /** `isInteractive` (default): a caller waits for the outcome, so its calls go first. */
  clientFor(integration: Integration, isInteractive?: boolean): ProviderClient;
  /** Makes the calls of `clientFor(integration, false)`. */
  fetchFor(integration: Integration): ProviderFetch;
  /** By the given routing, with the calls of `trialFetchFor`. */
  trialClientFor(integration: Integration, routing: Routing): ProviderClient;
  /** For calls that may be meant to fail: guarded and limited as all are, but no sign of the provider's health. */
  trialFetchFor(integration: Integration, signal: AbortSignal): (request: Request) => Promise<Response>;
  close(): Promise<void>;
}

interface Parts extends ConnectionParts {
  vault: Vault;
  /** Every response of the provider breaks the contract. Never rejects. */
  onBroken: (providerId: string) => Promise<void>;
  /** A shift was read: names of its optional fields, and of what was odd about it. */
  /** A call was made, with a response or without. */
  onCall: (call: ProviderCall) => void;
  /** How long a connection is kept after its last call. Milliseconds. */
  keptMs?: number;
}

/** Longer than between two readings of a shift. A process learns from nothing else that an organisation was deleted by another one. */
const KEPT_MS = 2 * HOUR_MS;

/** One client, with connections, a circuit and a rate of its own, for each integration; replaced when the integration is changed. */
export function createProviderClients(parts: Parts): ProviderClients {
  const connections = new Map<string, ProviderConnection>();
  const saving = new Set<Promise<unknown>>();
  const save: Save = (work) => {
    const saved = work.finally(() => saving.delete(saved));
    saving.add(saved);
  };
  const connectionTo = (integration: Integration): ProviderConnection => {
    const { providerId } = integration;
    const connection = connections.get(providerId) ?? openConnection(parts, integration, save);
    connections.set(providerId, connection);
    keepSilence(connection, integration, parts.now());
    return connection;
  };
  const { keptMs = KEPT_MS } = parts;
  const closing = setInterval(() => {
    for (const [providerId, { http, use }] of connections) {
      if (use.calls > 0 || performance.now() - use.endedAt < keptMs) continue;
      connections.delete(providerId);
      save(http.close());
    }
  }, keptMs / 4);
  closing.unref();
  return {
    clientFor: (integration, isInteractive = true) => {
      const { updatedAt, providerToken, baseUrl } = integration;
      const connection = connectionTo(integration);
      if (connection.baseUrl !== baseUrl) connectTo(connection, integration, parts, save);
      // Sealing the same token gives a different text each time, also within one millisecond.
      const version = `${updatedAt.getTime()} ${providerToken} ${integration.routingSource}`;
      if (connection.made?.version !== version)
        connection.made = {
          version,
          interactive: makeClient(integration, parts, connection, save, true),
          usual: makeClient(integration, parts, connection, save, false),
        };
      return connection.made[isInteractive ? "interactive" : "usual"];
    },
    trialClientFor: (integration, routing) =>
      makeTrialClient(integration, routing, parts, connectionTo(integration)),
    fetchFor: (integration) => callsOf(integration, parts, connectionTo(integration), false),
    trialFetchFor: (integration, signal) => {
      const connection = connectionTo(integration);
      return async (request) => {
        requireRouting(integration);
        const both = AbortSignal.any([request.signal, signal]);
        return connection.policy.runApart(
          () => connection.http.fetch(new Request(request, { signal: both })),
          both,
        );
      };
    },
    close: async () => {
      clearInterval(closing);
      await Promise.all(saving);
      await Promise.all([...connections.values()].map(({ http }) => http.close()));
    },
  };
}

/** For the response, after the turn among the other calls. Milliseconds. */
const TRIAL_MS = 15_000;

function makeTrialClient(
  integration: Integration,
  routing: Routing,
  { vault, log }: Parts,
  { http, policy }: ProviderConnection,
): ProviderClient {
  const { providerId, baseUrl, providerToken } = integration;
  return createProviderClient({
    providerId,
    baseUrl,
    routing,
    token: vault.open(providerToken),
    timeZone: integration.timeZone,
    fetch: async (request) => {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(TRIAL_MS)]);
      const call = () =>
        logRefusal(log, providerId, request, http.fetch(new Request(request, { signal: request.signal })));
      try {
        return await policy.runApart(call, signal);
      } catch (error) {
        if (error instanceof ProviderHttpError) throw error;
        const isAbort = request.signal.aborted;
        throw new ProviderHttpError(isAbort ? "aborted" : "rate_limited", "the call had no turn in time", {
          cause: error,
          isAbort,
        });
      }
    },
  });
}

function makeClient(
  integration: Integration,
  parts: Parts,
  connection: ProviderConnection,
  save: Save,
  isInteractive: boolean,
): ProviderClient {
  const { vault } = parts;
  const { providerId } = integration;
  return createProviderClient({
    providerId,
    baseUrl: integration.baseUrl,
    routing: integration.routing,
    token: vault.open(integration.providerToken),
    timeZone: integration.timeZone,
    seen: integration.dialect,
    onSeen: (seen) => save(saveDialect(parts, providerId, seen)),
    onOutcome: (about, outcome) => {
      if (noteBroken(connection, about, outcome)) save(parts.onBroken(providerId));
    },
    fetch: callsOf(integration, parts, connection, isInteractive),
  });
}

function callsOf(
  integration: Integration,
  parts: Parts,
  connection: ProviderConnection,
  isInteractive: boolean,
): ProviderFetch {
  const { log, onCall } = parts;
  const { providerId } = integration;
  return async (request, allowance) => {
    requireRouting(integration);
    const ask = () => logRefusal(log, providerId, request, connection.http.fetch(request, allowance));
    const call = () =>
      inSpan(spanOf(integration, request), (span) => {
        const traceparent = traceparentOfSpan();
        if (traceparent !== undefined) request.headers.set("traceparent", traceparent);
        return measureCall(integration, request, ask, (made) => {
          if (made.status !== undefined) span.setAttribute("http.response.status_code", made.status);
          onCall(made);
        });
      });
    // A call may wait for its turn, and another one then starts it.
    return connection.policy.run(boundToSpan(call), request.signal, isInteractive);
  };
}

/** Without the path and the query, which may hold a personal number. */
const spanOf = ({ providerId }: Integration, request: Request) => ({
  name: `provider ${operationOf(request)}`,
  kind: "client" as const,
  attributes: {
    "http.request.method": request.method,
    "server.address": new URL(request.url).hostname,
    "shiftpact.provider_id": providerId,
  },
});

/** As many broken responses in a row, about different things, are those of a provider that breaks the contract on every call. */
const MANY_BROKEN = 4;

/** Returns whether every response breaks the contract: this one, and those before it. */
function noteBroken({ broken }: ProviderConnection, about: string, outcome: CallOutcome): boolean {
  const failure = "failure" in outcome ? outcome.failure : undefined;
  if (failure === undefined) broken.length = 0;
  if (failure !== "contract_violation") return false;
  broken.push(about);
  if (broken.length > MANY_BROKEN) broken.shift();
  return broken.length === MANY_BROKEN && new Set(broken).size > 1;
}

/** The statuses by which a provider reports "not found" or "not offered" (contract 4.2). */
const ABSENT = [404, 405, 410];

/** Contract 7.1. Without the query, which may hold a personal number. */
async function logRefusal(log: Log, providerId: string, request: Request, responding: Promise<Response>) {
  const response = await responding;
  const { status } = response;
  if (status >= 400 && status < 500) {
    const call = { method: request.method, path: new URL(request.url).pathname };
    const fields = { providerId, traceId: request.headers.get("x-trace-id"), ...call, status };
    if (ABSENT.includes(status)) log.debug(fields, "the provider has nothing there");
    else log.warn(fields, "the provider refused a call");
  }
  return response;
}

/** Never rejects: what was seen once will be seen again. */
async function saveDialect({ database, log }: Parts, providerId: string, seen: SeenDialect): Promise<void> {
  try {
    await database.kysely
      .updateTable("integrations")
      // Merged: of two that are saved at once, the later may know less.
      .set({ dialect: sql`dialect || ${jsonbOf(seen)}` })
      .where("providerId", "=", providerId)
      .execute();
  } catch (error) {
    log.warn({ err: error, providerId }, "could not save the dialect of a provider");
  }
}

interface Waiting {
  /** The longest wait before each further try; full jitter. Milliseconds. */
  waitsMs: readonly number[];
  /** Milliseconds, from anywhere. */
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
  /** From 0 up to, not including, 1. */
  random?: () => number;
}

/**
 * Retries a read a few times while the provider gives no usable response, no sooner than Retry-After allows. Returns the failure at
 * once if the wait for the next attempt would be too long, or the response is.
 */
export async function readWithRetries<
  Answer extends { kind: string; failure?: string; retryAfterMs?: number },
>(
  read: () => Promise<Answer>,
  { waitsMs, now = () => performance.now(), wait = waitUnlessStopped, random = Math.random }: Waiting,
): Promise<Answer> {
  const until = now() + ONBOARDING_LIMIT_MS;
  for (const longestMs of waitsMs) {
    const answer = await read();
    if (answer.kind !== "unavailable" || answer.failure === "response_too_long") return answer;
    const ms = Math.max(random() * longestMs, answer.retryAfterMs ?? 0);
    if (now() + ms > until) return answer;
    await wait(ms);
  }
  return read();
}

/** Does not keep a process alive that stops. */
const waitUnlessStopped = (ms: number) => sleep(ms, undefined, { ref: false });
