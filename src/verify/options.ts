import type { Dialect } from "../contract/dialect.ts";
import type { RunEvent } from "./events.ts";
import type { OperationId } from "./exchange.ts";
import { type Choice, type Group, groups } from "./groups.ts";

export { type Group, groups };

/** The provider's data that the checks may use; the file of `--fixtures`. */
export interface Fixtures {
  /** A future shift that may be read, changed and assigned to. It is restored afterwards. */
  shiftId?: string;
  /** A shift that may be cancelled permanently, or several: the first existing one is used. */
  cancellableShiftId?: string | readonly string[];
  /** Personal number of an existing candidate, in either format. */
  knownPersonalNumber?: string;
  /** The id of the same candidate. */
  knownCandidateId?: string;
}

/** Another organisation at the same provider, to check isolation in both directions. */
export interface OtherTenant {
  providerId: string;
  token: string;
}

/** Options of a verification. All groups run by default; reachability and dialect always run. */
export interface VerifyOptions extends Choice {
  /** The address of the provider's API, without the `/providers/{providerId}` prefix. */
  baseUrl: string;
  /** UUID of the organisation (contract 2.1). */
  providerId: string;
  /** PROVIDER_TOKEN (contract 5.1). */
  token: string;
  /** Detected by default (contract 4.1). */
  routing?: Dialect["routing"] | "auto";
  fixtures?: Fixtures;
  /** Limits reports and counts to these operations; all by default. Checks may call others. */
  operations?: readonly OperationId[];
  /** The command line for the reports; tokens in it are masked. */
  command?: string;
  /** Address that sets up provider states: Pact's callback, `POST {"state", "params", "action": "setup"}`. */
  statesUrl?: string;
  other?: OtherTenant;
  /** Creates a future shift that may be changed and cancelled, and returns its id. With it, every run can check the cancellation. */
  createShift?: () => Promise<string>;
  /** Concurrent requests; 8 by default, up to 16 at a provider that is far away. Fewer when the provider is slow or limits its rate. */
  concurrency?: number;
  /** Requests a second; unlimited by default, and what the provider allows after a 429. */
  rate?: number;
  /** Omits every call that could change data at the provider. */
  readOnly?: boolean;
  /** Sends few and ordinary requests only, so that no firewall blocks them. */
  polite?: boolean;
  /** Determines the made-up ids and data of test candidates; the same seed gives the same findings, but for faults that occur now and then. 1 by default. */
  seed?: number;
  /** Valid personal numbers of people who do not exist, for test candidates; published test numbers by default. */
  numbers?: readonly string[];
  /** Time limit of one response. Milliseconds; 10,000 by default, like the platform's. */
  timeoutMs?: number;
  /** The severity that makes the verdict `fails`; errors by default. */
  failOn?: "error" | "warning";
  /** Stops the run early: changes are restored, and `verify` rejects with CouldNotRun. */
  signal?: AbortSignal;
  /** Called for every event of the run. */
  onEvent?: (event: RunEvent) => void;
  /** Sends the requests; rejects with ProviderHttpError. By default any http or https address is allowed. */
  fetch?: (request: Request) => Promise<Response>;
  /** Resolves after the given time. */
  wait?: (ms: number) => Promise<void>;
  /** Milliseconds since 1970; determines whether a shift has started. */
  now?: () => number;
}
