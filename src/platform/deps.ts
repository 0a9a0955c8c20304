import type { ProviderClient } from "../clients/provider/client.ts";
import type { Database, Log } from "./db/database.ts";
import type { Integration } from "./db/schema.ts";
import type { Signals } from "./db/signals.ts";
import type { Queue } from "./queue/task.ts";

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

/** Reasons hold no personal data. */
export type Delivery =
  | { kind: "delivered" }
  /** No try can help. */
  | { kind: "refused"; reason: string }
  | { kind: "unavailable"; reason: string };

/** How notifications leave the house. */
export interface Channel {
  /** Kept with what it delivered. */
  name: string;
  /** Never rejects. */
  deliver(letter: Letter, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}

export interface Timing {
  /** Waits before a shift that GET does not know is taken as deleted (DECISIONS, "GET answers 404"). Milliseconds. */
  absenceRetriesMs: readonly number[];
  /** Waits before a provider is asked again whose outlets, roles or registry somebody waits for: the longest of each. Milliseconds. */
  onboardingRetriesMs: readonly number[];
  /** How long a request waits for the provider before it is answered 202. Milliseconds. */
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
  queue: Queue;
  signals: Signals;
  log: Log;
  vault: Vault;
  /** Absent: notifications are only shown. */
  channel?: Channel;
  timing: Timing;
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
