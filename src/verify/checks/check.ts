import type { Outcome } from "../finding.ts";
import type { Group } from "../options.ts";
import type { Run } from "../run.ts";

/** One topic. It decides by yielding outcomes; sending, counting and printing are others' work. */
export interface Check {
  group: Group;
  /** It says nothing of the group's topic: alone it is no check of it. */
  isAside?: true;
  run(run: Run): AsyncIterable<Outcome>;
}
