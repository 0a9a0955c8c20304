import type { Candidate } from "../../../generated/operations/types.ts";
import type { Names } from "../data/names.ts";

/** `Cook, Waiter`; `none` without one. */
export function competencesText({ competenceIds }: Candidate, names: Names): string {
  const known = competenceIds.map((id) => names.competence(id)?.name ?? id);
  return known.length === 0 ? "none" : known.sort((one, other) => one.localeCompare(other)).join(", ");
}
