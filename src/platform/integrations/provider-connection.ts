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
  /** A call was refused because the routing is not known. Never rejects. */
  onUndetected: (integration: Integration) => Promise<void>;
}

/** Connections, circuit and rate outlive a change of the integration, but for a new base URL: calls under way end as they began. */
export interface ProviderConnection {
  http: ProviderHttp;
  baseUrl: string;
  policy: CallPolicy;
  /** It has asked for silence, and has not responded since. */
  isSilenced: boolean;
  /** The last state of the circuit is written. */
  noted: Promise<void>;
  /** Of the integration as it was last. */
  made?: { version: string } & Record<"interactive" | "usual", ProviderClient>;
  /** By `performance.now`; when a detection was last asked for. */
  detectedAt?: number;
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
  const connection = { http, isSilenced: false, noted: Promise.resolve() };
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
    ...{ limits, processes },
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

/** Between two detections for calls that were refused. Milliseconds. */
const DETECTED_EVERY_MS = 60_000;
/** What was refused meanwhile is tried again. Milliseconds. */
const RETRY_AFTER_MS = 5_000;

/**
 * Only an integration that an earlier version has activated may be used while its routing is not known: the calls ask for its detection, and wait.
 * @throws CallRefused while the routing is not known
 */
export function requireRouting(
  integration: Integration,
  connection: ProviderConnection,
  parts: ConnectionParts,
): void {
  if (integration.routing_source !== "pending") return;
  const now = performance.now();
  if (connection.detectedAt === undefined || now - connection.detectedAt >= DETECTED_EVERY_MS) {
    connection.detectedAt = now;
    void parts.onUndetected(integration);
  }
  throw new CallRefused("circuit_open", "the provider's routing is not detected yet", RETRY_AFTER_MS);
}
