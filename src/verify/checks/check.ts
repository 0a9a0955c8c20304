import type { Outcome } from "../finding.ts";
import type { Group } from "../options.ts";
import type { Run } from "../run.ts";

/** What a check finds out for the others; `run.known` and `run.forms` hold it. */
export type Fact =
  /** How the organisation is told: everything but its giver needs it. */
  | "routing"
  /** The shift of the fixtures as it was, and its variant. */
  | "shift"
  /** How nobody is told, and which forms of a number are read. */
  | "nobody"
  /** A test person of this run. */
  | "person"
  /** Another one, created with the full payload. */
  | "second"
  /** Whether somebody whom the provider knew before is found. */
  | "known"
  /** A personal number under which somebody is found. */
  | "number"
  /** What reads of the organisation tell. */
  | "told"
  /** Whether there is a registry. */
  | "registry"
  /** What answers an update, and under which name it takes the positions. */
  | "update"
  /** The acknowledgement, and the forms of unassignment. */
  | "seat"
  /** What comes of one candidate too many. */
  | "full"
  /** The shift that may be cancelled, or why there is none. */
  | "cancellable"
  /** Everything that wants the shift that may be cancelled before it is has had it. */
  | "used"
  /** The replay has created somebody. */
  | "created"
  /** Nothing changes the shift of the fixtures any more. */
  | "settled"
  /** What becomes of a shift that was cancelled. */
  | "deleted";

/** What two checks must not touch at the same time. */
export type Thing = "shift" | "cancellable" | "people";

/** `reads` goes with `reads`, and `adds` with `adds`; `changes` goes with nothing. */
export type Hold = "changes" | "adds" | "reads";

/** One topic. It decides by yielding outcomes; sending, counting and printing are others' work. */
export interface Check {
  group: Group;
  /** It says nothing of the group's topic: alone it is no check of it. */
  isAside?: true;
  /** It is there for these groups only, and left out with them. */
  isFor?: readonly Group[];
  /** Checks that give one of these come first. */
  needs: readonly Fact[];
  gives?: readonly Fact[];
  /** What it touches at the provider. */
  holds?: Holds | ((run: Run) => Holds);
  /** It only tries what a correct provider refuses on the shift of the fixtures: all that do so try at the same time, and alone when something took effect. `first`: it takes several calls one after another. */
  tries?: true | "first";
  /** Each of its statements is a check of its own in reports; else all that it says of an operation is one. */
  isByTitle?: true;
  /** As reports name it, the same in every run; given in checks.ts. */
  name?: string;
  run(run: Run): AsyncIterable<Outcome>;
}

export type Holds = Readonly<Partial<Record<Thing, Hold>>>;
