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
