import type { Transferable } from "node:worker_threads";
import type {
  CheckFinding,
  DeliveryCode,
  EventStatus,
  FailureCode,
  Language,
  Routing,
} from "../../generated/operations/types.ts";
import type { ProviderClient } from "../clients/provider/client.ts";
import type { ProviderFetch } from "../clients/provider/global-fetch.ts";
import type { RetryPolicy, Timing } from "../clients/retry-policy.ts";
import type { Urgency } from "../contract/operator-text.ts";
import type { PersonalNumber } from "../contract/personal-number.ts";
import type { Database, Log } from "./db/database.ts";
import type { Throttle } from "./db/in-batches.ts";
import type { Integration } from "./db/schema.ts";
import type { Signals } from "./db/signals.ts";
import type { AuditScope } from "./transaction.ts";

/** Encrypts secrets and personal data for the database. */
export interface Vault {
  /** The id of the key that seals. */
  readonly keyId: string;
  /** The ids of all keys that open, starting with the one that seals. */
  readonly keyIds: readonly string[];
  seal(text: string): string;
  /** Throws if the text was sealed with an unknown key, or was modified. */
  open(sealed: string): string;
}

/** Stores personal numbers: sealed, with a keyed hash for look-ups. */
export interface Numbers {
  hash(number: PersonalNumber): string;
  /** Returns the columns of a candidate. */
  columns(number: PersonalNumber): StoredNumber & { personalNumberHash: string };
  /** Throws for an erased person and for a damaged number. */
  open(stored: StoredNumber): PersonalNumber;
}

export interface StoredNumber {
  /** Null of an erased person. */
  personalNumberSealed: string | null;
}

/** A link opens the shift of a notification, all shifts of a candidate at an organisation, or the calendar with them. */
export type LinkPurpose = "shift" | "shifts" | "calendar" | "unsubscribe";

/** What a link leads to. */
export interface LinkTarget {
  providerId: string;
  /** Of the notification, or of the candidate. */
  id: string;
  /** That of the notification or candidate, unless the link has ended. */
  salt: number;
}

/** The tokens of the links in mails. */
export interface LinkTokens {
  sign(purpose: LinkPurpose, target: LinkTarget): string;
  /** Returns undefined for a text that is no token of this platform for the purpose. */
  read(purpose: LinkPurpose, token: string): LinkTarget | undefined;
}

/** A notification as text, with its address. */
export interface Mail {
  /** The same for each attempt. A resend of a delivered mail has a new id. */
  id: string;
  address: string;
  /** The name of the organisation that the mail is about. */
  organisation: string;
  subject: string;
  language: Language;
  /** Plain text. */
  text: string;
  html: string;
  /** The same for all mails about one shift; a digest has none. */
  thread?: string;
  /** The link that ends mail of this kind, if it is a subscription. */
  unsubscribe?: string | undefined;
  /** What the mail changes in the recipient's calendar. */
  calendar?: CalendarChange;
}

/** An assignment as it is in a calendar. */
export interface CalendarEntry {
  uid: string;
  /** Rises with every change. */
  sequence: number;
  startTime: Date;
  endTime: Date;
  summary: string;
  location: string;
  description: string;
}

/** What a mail changes in a calendar (RFC 5546). */
export interface CalendarChange extends CalendarEntry {
  method: "REQUEST" | "CANCEL";
  /** The name of the organisation. */
  organiser: string;
  /** The first name of the candidate. */
  attendee: string;
  at: Date;
}

/** The outcome of a delivery. `status` is the mail server's. */
export type Delivery =
  | { kind: "delivered" }
  /** No further attempt can succeed. */
  | { kind: "refused"; code: DeliveryCode; status?: number }
  /** The mail server defers this mail. */
  | { kind: "deferred"; code: DeliveryCode; status?: number }
  /** The mail server accepts no mail at all. */
  | { kind: "unavailable"; code: DeliveryCode; status?: number };

/** Limits of the mails with offers to one person, of all organisations together. */
export interface OfferMailLimits {
  /** The least time between two of them; 0: none. Milliseconds. */
  everyMs: number;
  /** The most within 24 hours; 0: no limit. */
  perDay: number;
}

/** How many people a shift is offered to at a time. */
export interface OfferWaves {
  /** 0: all at once. */
  size: number;
  /** From the last mail of a wave to the next one. Milliseconds. */
  pauseMs: number;
}

/** Of which issues operators are alerted. */
export interface AlertSettings {
  /** The lowest. */
  severity: Urgency;
  /** Where to mail alerts. */
  email?: string;
}

/** The settings that features read. */
export interface FeatureSettings {
  /** Limits of the mails with offers to one person. */
  offerMail: OfferMailLimits;
  offerWaves: OfferWaves;
  /** Of mails and pages, for candidates and organisations that have none of their own. */
  language: Language;
  /** Where candidates reach the pages that mails link, without a slash at its end; unset: mails have no links. */
  publicUrl?: string;
  /** Of which issues operators are alerted; unset: of none. */
  alerts?: AlertSettings;
}

/** Returns them without the other settings of a process. */
export const featureSettings = ({
  offerMail,
  offerWaves,
  language,
  publicUrl,
  alerts,
}: FeatureSettings): FeatureSettings => ({
  offerMail,
  offerWaves,
  language,
  ...(publicUrl !== undefined && { publicUrl }),
  ...(alerts && { alerts }),
});

/** How notifications are delivered. */
export interface Channel {
  /** Stored with each delivered notification. */
  name: string;
  /** Never rejects. */
  deliver(mail: Mail, signal: AbortSignal): Promise<Delivery>;
  close(): void;
}

/** A service that delivers notifications in its own way. */
export interface NotificationWebhook {
  /** Makes one attempt. Never rejects. @param id the same for each attempt @param body the exact text that is sent */
  send(id: string, body: string, signal: AbortSignal): Promise<WebhookOutcome>;
  close(): Promise<void>;
}

export type WebhookOutcome =
  | { kind: "accepted" }
  /** It wants no more of them. */
  | { kind: "gone" }
  | { kind: "failed"; status?: number; failure?: FailureCode; retryAfterMs?: number };

/** A finding of a provider check. Its texts contain no token; `reproduce` is empty when no single request shows it. */
export interface ProviderFinding extends Required<CheckFinding> {
  code: string;
  /** The operation with the problem, or `provider`. */
  operation: string;
}

/** A provider to check with calls that change nothing. */
export interface CheckTarget {
  baseUrl: string;
  providerId: string;
  token: string;
  routing: "path" | "header";
  /** One of its shifts, if one is known. */
  shiftId?: string;
  /** Makes the calls; rejects with ProviderHttpError. */
  fetch: ProviderFetch;
  /** Ends the check. */
  signal: AbortSignal;
}

/** Rejects with a one-line message if the check could not be made. */
export type CheckProvider = (target: CheckTarget) => Promise<ProviderFinding[]>;

/** The value of a call, and what of it is moved instead of copied. */
interface CallAnswer {
  value?: unknown;
  transfer?: Transferable[];
}

/** What a thread may call, by name. A call that rejects ends the thread. */
export type Calls = Readonly<Record<string, (argument: never) => Promise<CallAnswer>>>;

export interface Threads {
  /**
   * Runs their module in a thread of its own, with a copy of `input`.
   * @throws ProviderHttpError `processing_limit` when the thread was ended at a limit; what a call or the thread threw; the reason of the
   * signal, at once
   */
  run<Result>(input: object, calls: Calls, signal?: AbortSignal): Promise<Result>;
  /** Ends all threads. */
  close(): void;
}

/** The dependencies of the features. */
export interface Deps extends FeatureSettings {
  database: Database;
  /** Checks for due work, at these organisations and for mail; returns at once. */
  wakeWorker: (providerIds: readonly string[]) => void;
  /** Checks for due work after that many milliseconds. */
  wakeWorkerIn: (ms: number) => void;
  /** Limits processing while webhooks are stored. */
  throttle: Throttle;
  signals: Signals;
  log: Log;
  /** Records what the operation changes; absent in background work. */
  audit?: AuditScope;
  vault: Vault;
  numbers: Numbers;
  /** If absent, notifications are only shown. */
  channel?: Channel;
  /** If absent, notifications are handed to no service. */
  webhook?: NotificationWebhook;
  linkTokens: LinkTokens;
  timing: Timing;
  retries: RetryPolicy;
  now: () => Date;
  newId: () => string;
  newTraceId: () => string;
  /** Counts events that ended with this status. */
  eventsEnded?: (status: EventStatus, count: number) => void;
  /** Calls of the client take precedence, unless `isInteractive` is false. */
  clientFor: (integration: Integration, isInteractive?: boolean) => ProviderClient;
  /** Makes the calls of `clientFor(integration, false)`, for a client in another thread. */
  fetchFor: (integration: Integration) => ProviderFetch;
  /** The threads that read registries, which may be long. */
  registryThreads: Threads;
  /** Returns a client for calls that may fail because the registration is wrong, which does not affect the provider's health. */
  trialClientFor: (integration: Integration, routing: Routing) => ProviderClient;
  /** If absent, providers are not checked. */
  checkProvider?: (
    integration: Integration,
    options: { shiftId: string | undefined; signal: AbortSignal },
  ) => Promise<ProviderFinding[]>;
}

/** Fixes the time: a clock that is set between the loading of a deadline and its use must not move the deadline. */
export function atOneTime(deps: Deps): Deps {
  const now = deps.now();
  return { ...deps, now: () => now };
}
