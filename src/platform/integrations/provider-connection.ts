import { type CallLimits, type CallPolicy, createCallPolicy } from "../../clients/provider/call-policy.ts";
import type { ProviderClient } from "../../clients/provider/client.ts";
import {
  createProviderHttp,
  type ProviderHttp,
  type ProviderHttpOptions,
} from "../../clients/provider/http.ts";
import { CallRefused } from "../../clients/provider/http-error.ts";
import type { Database, Log } from "../db/database.ts";
import type { Processes } from "../db/processes.ts";
import type { Integration } from "../db/schema.ts";
import { uninstrumented } from "../tracing.ts";
import { type Circuit, conditionOf } from "./conditions.ts";

export interface ConnectionParts {
  database: Pick<Database, "kysely">;
  log: Log;
  now: () => Date;
  http: ProviderHttpOptions;
  /** Of the calls to each provider; what is not given is as spec/decisions.md has it. */
  limits: Partial<CallLimits>;
  /** Those that call the providers. */
  processes: Pick<Processes, "sharing" | "since">;
  /** A provider is no longer called, or is again; also once a minute while it responds. Never rejects. */
  onCircuit: (providerId: string, circuit: Circuit) => Promise<void>;
  /** The provider asks for silence until this time (429 with Retry-After), or responds again after that. Never rejects. */
  onSilence: (providerId: string, until: Date | undefined) => Promise<void>;
}

/** Connections, circuit and rate outlive a change of the integration, but for a new base URL: calls under way end as they began. */
export interface ProviderConnection {
  http: ProviderHttp;
  /** The calls under way, and when the last one ended, by `performance.now`. */
  use: { calls: number; endedAt: number };
  baseUrl: string;
  policy: CallPolicy;
  /** The calls whose responses broke the contract since the last response that kept it. */
  broken: string[];
  /** The end of the last silence that is known, in milliseconds since 1970. */
  silentUntil: number;
  /** What the policy has reported last is written. */
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
  const connection = { http, use, broken: [], noted: Promise.resolve() };
  return connectTo(connection, integration, parts, save);
}

/** Observations of another address do not apply to this one. */
export function connectTo(
  connection: Omit<ProviderConnection, "baseUrl" | "policy" | "silentUntil">,
  integration: Integration,
  parts: ConnectionParts,
  save: Save,
): ProviderConnection {
  const { limits, processes, onCircuit, onSilence } = parts;
  const { providerId, baseUrl } = integration;
  const policy = createCallPolicy({
    limits,
    sharing: { processes: processes.sharing, since: processes.since },
    onPause: (ms) => {
      const until = ms > 0 ? new Date(parts.now().getTime() + ms) : undefined;
      if (until) connected.silentUntil = Math.max(connected.silentUntil, until.getTime());
      noteNext(() => onSilence(providerId, until));
    },
    onCircuit: (state, cause) => {
      if (connected.policy === policy) noteNext(() => onCircuit(providerId, { state, cause }));
    },
  });
  // One after the other: the last state wins.
  const noteNext = (work: () => Promise<void>) => {
    connected.noted = connected.noted.then(work);
    save(connected.noted);
  };
  const connected = Object.assign(connection, { baseUrl, policy, silentUntil: 0 });
  return connected;
}

/** Keeps the silence that the provider has asked another process for. */
export function keepSilence(connection: ProviderConnection, integration: Integration, now: Date): void {
  const until = Date.parse(conditionOf(integration, "rate_limited")?.until ?? "");
  if (!(until > connection.silentUntil)) return;
  connection.silentUntil = until;
  connection.policy.pause(until - now.getTime());
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
