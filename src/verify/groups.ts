/** The groups of checks, in this order; `--only` and `--skip` name these. */
export const groups = [
  "reachability",
  "dialect",
  "answers",
  "meaning",
  "authentication",
  "tenants",
  "errors",
  "registry",
  "cancellation",
  "contracts",
] as const;

export type Group = (typeof groups)[number];

export interface Choice {
  only?: readonly Group[];
  skip?: readonly Group[];
}

/** Groups that all others depend on. */
const ALWAYS: readonly Group[] = ["reachability", "dialect"];

export function isChosen(group: Group, { only = groups, skip = [] }: Choice): boolean {
  return only.includes(group) && !skip.includes(group);
}

/** Whether the group runs, for its own results or for other groups. */
export function isRun(group: Group, choice: Choice): boolean {
  return ALWAYS.includes(group) || isChosen(group, choice);
}
