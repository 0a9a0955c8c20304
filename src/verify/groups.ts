/** What is checked, in this order; `--only` and `--skip` name these. */
export const groups = [
  "reachability",
  "dialect",
  "answers",
  "meaning",
  "authentication",
  "tenants",
  "errors",
  "registry",
  "generated",
  "cancellation",
  "contracts",
] as const;

export type Group = (typeof groups)[number];

/** What `--only` and `--skip` say. */
export interface Choice {
  only?: readonly Group[];
  skip?: readonly Group[];
}

/** Without these nothing else can be checked. */
const ALWAYS: readonly Group[] = ["reachability", "dialect"];

/** Whether the group is reported. */
export function isChosen(group: Group, { only = groups, skip = [] }: Choice): boolean {
  return only.includes(group) && !skip.includes(group);
}

/** Whether the group runs: also when only other groups need it. */
export function isRun(group: Group, choice: Choice): boolean {
  return ALWAYS.includes(group) || isChosen(group, choice);
}
