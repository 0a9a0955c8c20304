import type { Dialect } from "../contract/dialect.ts";
import type { RunEvent } from "./events.ts";
import type { OperationId } from "./exchange.ts";
import { type Choice, type Group, groups } from "./groups.ts";

export { type Group, groups };

/** Data of the provider's own that the checks may use; the file of `--fixtures`. */
export interface Fixtures {
  /** A shift in the future, which may be read, changed and assigned to. It is left as it was. */
  shiftId?: string;
  /** A shift that may be cancelled, for good; or several: the first ones that are still there are used. */
  cancellableShiftId?: string | readonly string[];
  /** Personal number of an existing candidate, in either format. */
  knownPersonalNumber?: string;
  /** The same person's id. */
  knownCandidateId?: string;
}

/** Another organisation at the same provider: with it, isolation is checked in both directions. */
export interface OtherTenant {
  providerId: string;
  token: string;
}

/** Which groups are run: all unless given; reachability and the dialect always are. */
export interface VerifyOptions extends Choice {
  /** Where the provider's API is, without the `/providers/{providerId}` prefix. */
  baseUrl: string;
  /** UUID of the organisation (contract 2.1). */
  providerId: string;
  /** PROVIDER_TOKEN (contract 5.1). */
  token: string;
  /** Found out unless given (contract 4.1). */
  routing?: Dialect["routing"] | "auto";
  fixtures?: Fixtures;
  /** Only what is about these operations is reported and counted; all unless given. What they need is called as well. */
  operations?: readonly OperationId[];
  /** What was typed, for the reports; tokens in it are not shown. */
  command?: string;
  /** Where provider states are set up: Pact's callback, `POST {"state", "params", "action": "setup"}`. */
  statesUrl?: string;
  other?: OtherTenant;
  /** Creates a future shift that may be changed and cancelled, and returns its id, so that every run can check the cancellation. */
  createShift?: () => Promise<string>;
  /** Requests that are made at the same time; 8 unless given. Fewer once the provider limits its rate. */
  concurrency?: number;
  /** Leaves out every call that could change data at the provider. */
  readOnly?: boolean;
  /** Sends few requests, and none but those that any client might send: nothing that a firewall takes for an attack. */
  polite?: boolean;
  /** Of everything that is made up; the same seed gives the same findings. */
  seed?: number;
  /** For one answer. Milliseconds; 10,000 unless given, as the platform waits. */
  timeoutMs?: number;
  /** Which findings make the verdict `fails`; errors unless given. */
  failOn?: "error" | "warning";
  /** Stops the run before its end: what was changed is put back, and `verify` rejects with CouldNotRun. */
  signal?: AbortSignal;
  /** Called for every event of the run. */
  onEvent?: (event: RunEvent) => void;
  /** Makes the calls; rejects with ProviderHttpError. Calls any address over http and https unless given. */
  fetch?: (request: Request) => Promise<Response>;
  /** Resolves after so many milliseconds. */
  wait?: (ms: number) => Promise<void>;
  /** Milliseconds since 1970: decides whether a shift has started. */
  now?: () => number;
}
