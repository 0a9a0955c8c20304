import type { DeliveryCode, Routing } from "../../generated/operations/types.ts";
import type { ProviderClient } from "../clients/provider/client.ts";
import type { RetryPolicy, Timing } from "../clients/retry-policy.ts";
import type { PersonalNumber } from "../contract/personal-number.ts";
import type { Database, Log } from "./db/database.ts";
import type { Pace } from "./db/pace.ts";
import type { EventStatus, Integration } from "./db/schema.ts";
import type { Signals } from "./db/signals.ts";
import type { Tracing } from "./tracing.ts";
import type { AuditScope } from "./transaction.ts";

/** Seals what must not be readable in the database. */
export interface Vault {
  /** Of the key that seals. */
  readonly keyId: string;
  /** Of all keys that open, that one first. */
  readonly keyIds: readonly string[];
  seal(text: string): string;
  /** Rejects what was sealed with a key that is not given, or changed. */
  open(sealed: string): string;
}

/** How personal numbers are stored: sealed, beside a keyed hash to find them by. */
export interface Numbers {
  hash(number: PersonalNumber): string;
  /** The columns of a candidate. */
  columns(number: PersonalNumber, candidateId: string): StoredNumber & { personal_number_hash: string };
  /** Throws for an erased person, and for a number that is damaged. */
  open(stored: StoredNumber): PersonalNumber;
}

export interface StoredNumber {
  personal_number: string;
  /** Null: in clear, as an older version has written it. */
  personal_number_sealed: string | null;
}

/** A notification as text, with its address. */
export interface Letter {
  /** The same at each attempt; another one when a delivered mail is sent again. */
  id: string;
  address: string;
  subject: string;
  /** Plain text. */
  text: string;
}

/** The outcome of a delivery. `status`: of the mail server's response. */
export type Delivery =
  | { kind: "delivered" }
  /** No other attempt can help. */
  | { kind: "refused"; code: DeliveryCode; status?: number }
  /** The mail server postpones this mail. */
  | { kind: "deferred"; code: DeliveryCode; status?: number }
  /** The mail server accepts no mail. */
  | { kind: "unavailable"; code: DeliveryCode; status?: number };

/** How notifications are delivered. */
export interface Channel {
  /** Stored with each delivered notification. */
  name: string;
  /** Never rejects. */
  deliver(letter: Letter, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}

/** A problem of a provider, as the check reports it. No text holds a token. */
export interface ProviderFinding {
  code: string;
  severity: "error" | "warning";
  /** The operation with the problem, or `provider`. */
  operation: string;
  title: string;
  expected: string;
  actual: string;
  /** The section of the contract. */
  section: string;
  /** A curl command; empty when no single request shows it. */
  reproduce: string;
  /** What the provider has to change. */
  fix: string;
}

/** A provider to check, with calls that change nothing. */
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

/** The dependencies of the features. */
export interface Deps {
  database: Database;
  /** Something may be due; returns at once. */
  wakeWorker: () => void;
  /** Something is due in so many milliseconds. */
  wakeWorkerIn: (ms: number) => void;
  /** How much is processed beside what is received. */
  pace: Pace;
  signals: Signals;
  log: Log;
  /** Records what the operation of a request changes; absent in background work. */
  audit?: AuditScope;
  tracing: Tracing;
  vault: Vault;
  numbers: Numbers;
  /** Absent: notifications are only shown. */
  channel?: Channel;
  timing: Timing;
  retries: RetryPolicy;
  now: () => Date;
  newId: () => string;
  newTraceId: () => string;
  /** Counts events that ended with this status. */
  eventsEnded?: (status: EventStatus, count: number) => void;
  /** Unless `isInteractive` is false, someone waits for what the client's calls come to, and they go first. */
  clientFor: (integration: Integration, isInteractive?: boolean) => ProviderClient;
  /** For calls that may fail because the provider is not as it is registered: no sign of its health. */
  trialClientFor: (integration: Integration, routing: Routing) => ProviderClient;
  /** Absent: providers are not checked. */
  checkProvider?: (
    integration: Integration,
    look: { shiftId: string | undefined; signal: AbortSignal },
  ) => Promise<ProviderFinding[]>;
}
