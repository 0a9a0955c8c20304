import type { DeliveryCode } from "../../generated/operations/types.ts";
import type { ProviderClient } from "../clients/provider/client.ts";
import type { Database, Log } from "./db/database.ts";
import type { Integration } from "./db/schema.ts";
import type { Signals } from "./db/signals.ts";
import type { RetryPolicy } from "./work/retry.ts";

/** Seals what must not be readable in the database. */
export interface Vault {
  seal(text: string): string;
  /** Rejects what was sealed with another key, or changed. */
  open(sealed: string): string;
}

/** A notification in words, addressed. */
export interface Letter {
  /** The same at each try. */
  id: string;
  address: string;
  subject: string;
  /** Plain text. */
  text: string;
}

/** What came of a delivery. `status`: of the mail server's response. */
export type Delivery =
  | { kind: "delivered" }
  /** No other attempt can help. */
  | { kind: "refused"; code: DeliveryCode; status?: number }
  | { kind: "unavailable"; code: DeliveryCode; status?: number };

/** How notifications are delivered. */
export interface Channel {
  /** Stored with what it delivered. */
  name: string;
  /** Never rejects. */
  deliver(letter: Letter, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}

/** Waiting times. Milliseconds. */
export interface Timing {
  /** Before a shift that GET does not find is taken as deleted (DECISIONS, "GET answers 404"). */
  absenceRetriesMs: readonly number[];
  /** Before a shift is read again that contradicts what was announced. */
  recheckMs: readonly number[];
  /** Between two readings of a future shift of which nothing is heard (DECISIONS, "events that never came"). */
  reconcileMs: number;
  /** Between two attempts once the retry policy's are over. */
  hourlyMs: number;
  /** Between two probes of a provider that rejects the token. */
  probeMs: number;
  /** The time limit of one call to a provider. */
  callTimeoutMs: number;
  /** Before a provider is asked again whose outlets, roles or registry an operator waits for: the longest of each. */
  onboardingRetriesMs: readonly number[];
  /** How long a request waits for the provider before it is answered 202. */
  answerWithinMs: number;
}

/** Something that is wrong or odd about a provider. No text holds a token. */
export interface ProviderFinding {
  code: string;
  severity: "error" | "warning";
  /** The operation that shows it, or `provider`. */
  operation: string;
  title: string;
  expected: string;
  actual: string;
  /** Of the contract. */
  section: string;
  /** A curl command; empty when no single request shows it. */
  reproduce: string;
  /** What an engineer of the provider changes. */
  mend: string;
}

/** A provider to be checked, with calls that change nothing. */
export interface CheckTarget {
  baseUrl: string;
  providerId: string;
  token: string;
  routing: "path" | "header";
  /** One of its shifts, when one is known. */
  shiftId?: string;
  /** Makes the calls; rejects with ProviderHttpError. */
  fetch: (request: Request) => Promise<Response>;
}

/** Rejects with one line when the check could not be made. */
export type CheckProvider = (target: CheckTarget) => Promise<ProviderFinding[]>;

/** What the features work with, passed in. */
export interface Deps {
  database: Database;
  /** Something may be due; returns at once. */
  wakeWorker: () => void;
  /** Something is due in so many milliseconds. */
  wakeWorkerIn: (ms: number) => void;
  signals: Signals;
  log: Log;
  vault: Vault;
  /** Absent: notifications are only shown. */
  channel?: Channel;
  timing: Timing;
  retries: RetryPolicy;
  now: () => Date;
  newId: () => string;
  newTraceId: () => string;
  clientFor: (integration: Integration) => ProviderClient;
  /** Absent: providers are not checked. */
  checkProvider?: (
    integration: Integration,
    look: { shiftId: string | undefined; signal: AbortSignal },
  ) => Promise<ProviderFinding[]>;
}
