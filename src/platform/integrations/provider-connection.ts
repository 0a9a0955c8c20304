import { sql } from "kysely";
import { type CallLimits, type CallPolicy, createCallPolicy } from "../../clients/provider/call-policy.ts";
import type { ProviderClient } from "../../clients/provider/client.ts";
import {
  createProviderHttp,
  type ProviderHttp,
  type ProviderHttpOptions,
} from "../../clients/provider/http.ts";
import { CallRefused } from "../../clients/provider/http-error.ts";
import type { Database, Log } from "../db/database.ts";
import { milliseconds } from "../db/fragments.ts";
import type { Processes } from "../db/processes.ts";
import type { Integration } from "../db/schema.ts";
import { uninstrumented } from "../tracing.ts";
import type { Circuit } from "./health.ts";

export interface ConnectionParts {
  database: Pick<Database, "kysely">;
  log: Log;
  http: ProviderHttpOptions;
  /** Of the calls to each provider; what is not given is as spec/decisions.md has it. */
  limits: Partial<CallLimits>;
  /** Those that call the providers. */
  processes: Pick<Processes, "sharing" | "since">;
  /** A provider is no longer called, or is again; also once a minute while it responds. Never rejects. */
  onCircuit: (providerId: string, circuit: Circuit) => Promise<void>;
}

/** Connections, circuit and rate outlive a change of the integration, but for a new base URL: calls under way end as they began. */
export interface ProviderConnection {
  http: ProviderHttp;
  /** The calls under way, and when the last one ended, by `performance.now`. */
  use: { calls: number; endedAt: number };
  baseUrl: string;
  policy: CallPolicy;
  /** It has asked for silence, and has not responded since. */
  isSilenced: boolean;
  /** The calls whose responses broke the contract since the last response that kept it. */
  broken: string[];
  /** The last state of the circuit is written. */
  noted: Promise<void>;
  /** Of the integration as it was last. */
  made?: { version: string } & Record<"interactive" | "usual", ProviderClient>;
}

/** Keeps what must be written before the database closes. */
export type Save = (work: Promise<void>) => void;

/** @param save keeps what must be written before the database closes. */
export function openConnection(
  parts: ConnectionParts,
  integration: Integration,
  save: Save,
): ProviderConnection {
  const { fetch, close } = createProviderHttp(parts.http);
  const use = { calls: 0, endedAt: performance.now() };
  const http: ProviderHttp = {
    fetch: async (...call) => {
      use.calls += 1;
      try {
        return await uninstrumented(() => fetch(...call));
      } finally {
        use.calls -= 1;
        use.endedAt = performance.now();
      }
    },
    close,
  };
  const connection = { http, use, isSilenced: false, broken: [], noted: Promise.resolve() };
  return connectTo(connection, integration, parts, save);
}

/** Observations of another address do not apply to this one. */
export function connectTo(
  connection: Omit<ProviderConnection, "baseUrl" | "policy">,
  integration: Integration,
  parts: ConnectionParts,
  save: Save,
): ProviderConnection {
  const { limits, processes, onCircuit } = parts;
  const { providerId, baseUrl } = integration;
  const policy = createCallPolicy({
    limits,
    sharing: { processes: processes.sharing, since: processes.since },
    onPause: (ms) => save(noteSilence(parts, providerId, ms)),
    onCircuit: (state, cause) => {
      if (connected.policy !== policy) return;
      // One after the other: the last state wins.
      connected.noted = connected.noted.then(() => onCircuit(providerId, { state, cause }));
      save(connected.noted);
    },
  });
  const connected = Object.assign(connection, { baseUrl, policy });
  return connected;
}

/** Other processes read it with the integration. Never rejects. */
async function noteSilence(
  { database, log }: ConnectionParts,
  providerId: string,
  ms: number,
): Promise<void> {
  try {
    await sql`
      update integrations set silent_until = greatest(silent_until, asked.until)
      from (select clock_timestamp() + ${milliseconds(ms)} as until) as asked
      where provider_id = ${providerId}`.execute(database.kysely);
  } catch (error) {
    log.warn({ err: error, providerId }, "other processes may call a provider that asked for silence");
  }
}

/** Keeps the silence that the provider has asked another process for. */
export function keepSilence({ policy }: ProviderConnection, { silentUntil }: Integration): void {
  if (silentUntil) policy.pause(silentUntil.getTime() - Date.now());
}

/**
 * Nothing but the detection calls a provider whose routing is not known, such as the check of a draft.
 * @throws CallRefused while the routing is not known
 */
export function requireRouting({ routingSource }: Integration): void {
  if (routingSource === "pending")
    throw new CallRefused("circuit_open", "the provider's routing is not detected yet", RETRY_AFTER_MS);
}

/** A client tries again after that. Milliseconds. */
const RETRY_AFTER_MS = 5_000;
