import type { ProviderReport } from "../../../generated/operations/types.ts";
import { OPTIONAL_FIELDS, WARNINGS } from "./words.ts";

export interface Use {
  /** The field, or what was odd in words. */
  name: string;
  /** The variant that the contract gives it in; undefined for a warning, and for what this console does not know. */
  variant?: "A" | "B";
  count: number;
}

/** Every optional field of the contract, seen or not, and every warning that was seen. */
export function usesOf({ fields }: Pick<ProviderReport, "fields">): { fields: Use[]; warnings: Use[] } {
  const counts = new Map(fields.map(({ field, count }) => [field, count]));
  const known: Use[] = OPTIONAL_FIELDS.map(({ field, variant }) => ({
    ...{ name: field, variant },
    count: counts.get(field) ?? 0,
  }));
  const others = fields.filter(
    ({ field }) => !(field in WARNINGS) && known.every(({ name }) => name !== field),
  );
  return {
    fields: [...known, ...others.map(({ field, count }) => ({ name: field, count }))],
    warnings: fields.flatMap(({ field, count }) => {
      const words = WARNINGS[field];
      return words === undefined ? [] : [{ name: words, count }];
    }),
  };
}

/** `all`, `12 (34 %)`; never 0 or 100 % for what is neither. */
export function share(count: number, of: number): string {
  if (count >= of) return "all";
  const percent = Math.min(99, Math.max(1, Math.round((count / of) * 100)));
  return `${count} (${percent} %)`;
}
