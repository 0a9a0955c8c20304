import type { Outcome } from "../finding.ts";
import type { Group } from "../options.ts";
import type { Run } from "../run.ts";

/** What a check detects for the others; stored in `run.known` and `run.forms`. */
export type Fact =
  /** How the organisation is sent: every other check needs it. */
  | "routing"
  /** The shift of the fixtures as it was, and its variant. */
  | "shift"
  /** The response to a lookup without a match, and the accepted formats of a number. */
  | "nobody"
  /** A test person of this run. */
  | "person"
  /** Another one, created with the full payload. */
  | "second"
  /** Whether the known candidate of the fixtures is found. */
  | "known"
  /** A personal number under which a candidate is found. */
  | "number"
  /** The first results of the reads of the organisation. */
  | "told"
  /** Whether there is a registry. */
  | "registry"
  /** The response to an update, and the name under which it accepts the positions. */
  | "update"
  /** The acknowledgement, and the forms of unassignment. */
  | "seat"
  /** The response to an assignment to a full shift. */
  | "full"
  /** The shift that may be cancelled, or why there is none. */
  | "cancellable"
  /** No check needs the cancellable shift any more, except the cancellation. */
  | "used"
  /** The replay has created a candidate. */
  | "created"
  /** No check changes the fixture shift any more. */
  | "settled"
  /** The response to a read of a cancelled shift. */
  | "deleted";

/** Resources that two checks must not change at the same time. */
export type Thing = "shift" | "cancellable" | "people";

/** `reads` goes with `reads`, and `adds` with `adds`; `changes` goes with nothing. */
export type Hold = "changes" | "adds" | "reads";

/** One topic of the verification. A check yields outcomes; it does not count or print. */
export interface Check {
  group: Group;
  /** It does not count as a check of its group. */
  isAside?: true;
  /** It runs only when one of these groups runs. */
  isFor?: readonly Group[];
  /** Checks that give one of these come first. */
  needs: readonly Fact[];
  gives?: readonly Fact[];
  /** The resources that it uses at the provider. */
  holds?: Holds | ((run: Run) => Holds);
  /** A rejection test: sends requests to the fixture shift that a correct provider refuses. They run concurrently, and one by one if a request took effect. `first`: it makes several calls in sequence. */
  tries?: true | "first";
  /** Reports count each title as a separate check; otherwise all outcomes for an operation are one check. */
  isByTitle?: true;
  /** The name in reports, set in all-checks.ts. */
  name?: string;
  run(run: Run): AsyncIterable<Outcome>;
}

export type Holds = Readonly<Partial<Record<Thing, Hold>>>;
