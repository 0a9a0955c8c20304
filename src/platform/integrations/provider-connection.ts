import { type CallLimits, type CallPolicy, createCallPolicy } from "../../clients/provider/call-policy.ts";
import type { ProviderClient } from "../../clients/provider/client.ts";
import {
  createProviderHttp,
  type ProviderHttp,
  type ProviderHttpOptions,
} from "../../clients/provider/http.ts";
import { CallRefused } from "../../clients/provider/http-error.ts";
import type { Database, Log } from "../db/database.ts";
import type { Integration } from "../db/schema.ts";
import { uninstrumented } from "../tracing.ts";
import type { Circuit } from "./health.ts";
import { sharedStarts } from "./shared-starts.ts";

export interface ConnectionParts {
  database: Pick<Database, "kysely">;
  log: Log;
  http: ProviderHttpOptions;
  /** Of the calls to each provider; what is not given is as spec/decisions.md has it. */
  limits: Partial<CallLimits>;
  /** How many call the providers. */
  processes: () => number;
  /** A provider is no longer called, or is again; also once a minute while it responds. Never rejects. */
  onCircuit: (providerId: string, circuit: Circuit) => Promise<void>;
}

/** Connections, circuit and rate outlive a change of the integration, but for a new base URL: calls under way end as they began. */
export interface ProviderConnection {
  http: ProviderHttp;
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
  const http: ProviderHttp = { fetch: (...call) => uninstrumented(() => fetch(...call)), close };
  const connection = { http, isSilenced: false, broken: [], noted: Promise.resolve() };
  return connectTo(connection, integration, parts, save);
}

/** Observations of another address do not apply to this one. */
export function connectTo(
  connection: Omit<ProviderConnection, "baseUrl" | "policy">,
  integration: Integration,
  parts: ConnectionParts,
  save: Save,
): ProviderConnection {
  const { limits, processes, onCircuit, database, log } = parts;
  const { provider_id: providerId, base_url: baseUrl } = integration;
  const policy = createCallPolicy({
    limits,
    processes,
    shared: sharedStarts(database, log, providerId, () => processes() > 1),
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

/**
 * Nothing but the detection calls a provider whose routing is not known, such as the check of a draft.
 * @throws CallRefused while the routing is not known
 */
export function requireRouting({ routing_source }: Integration): void {
  if (routing_source === "pending")
    throw new CallRefused("circuit_open", "the provider's routing is not detected yet", RETRY_AFTER_MS);
}

/** A client tries again after that. Milliseconds. */
const RETRY_AFTER_MS = 5_000;
