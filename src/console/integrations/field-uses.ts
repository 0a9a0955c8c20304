import type { ProviderReport } from "../../../generated/operations/types.ts";
import { isWarning, warningText } from "../../contract/operator-text.ts";
import { VARIANT_FIELDS } from "../../contract/shift.ts";

export interface Use {
  /** The field, or the text of the warning. */
  name: string;
  /** The variant that has the field; undefined for a warning and for an unknown field. */
  variant?: "a" | "b";
  count: number;
}

/** Every optional field of the contract, observed or not, and every observed warning. */
export function usesOf({ fields }: Pick<ProviderReport, "fields">): { fields: Use[]; warnings: Use[] } {
  const counts = new Map(fields.map(({ field, count }) => [field, count]));
  const known: Use[] = (["a", "b"] as const).flatMap((variant) =>
    VARIANT_FIELDS[variant].map((name) => ({ name, variant, count: counts.get(name) ?? 0 })),
  );
  const others = fields.filter(({ field }) => !isWarning(field) && known.every(({ name }) => name !== field));
  return {
    fields: [...known, ...others.map(({ field, count }) => ({ name: field, count }))],
    warnings: fields
      .filter(({ field }) => isWarning(field))
      .map(({ field, count }) => ({ name: warningText(field), count })),
  };
}

/** `all`, `12 (34 %)`; never 0 or 100 % for a share that is neither. */
export function share(count: number, of: number): string {
  if (count >= of) return "all";
  const percent = Math.min(99, Math.max(1, Math.round((count / of) * 100)));
  return `${count} (${percent} %)`;
}
