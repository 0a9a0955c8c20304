import type { Outcome } from "../finding.ts";
import type { Group } from "../options.ts";
import type { Run } from "../run.ts";

/** One topic. It decides by yielding outcomes; sending, counting and printing are others' work. */
export interface Check {
  group: Group;
  /** It says nothing of the group's topic: alone it is no check of it. */
  isAside?: true;
  /** Each of its statements is a check of its own in reports; else all that it says of an operation is one. */
  isByTitle?: true;
  /** As reports name it, the same in every run; given in checks.ts. */
  name?: string;
  run(run: Run): AsyncIterable<Outcome>;
}
