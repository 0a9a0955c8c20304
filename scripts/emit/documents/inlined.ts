import { pointerSteps, valueAt } from "../reference.ts";
import { isRecord, mapRecord } from "../schema.ts";

type Document = Readonly<Record<string, unknown>>;

/** Returns whether a copy of its target replaces a reference. */
type IsInlined = (reference: string, beside: Document) => boolean;

/** Returns a copy of the document without the references that `isInlined` selects; the keywords beside one apply to the copy. */
export function inlined(document: Document, isInlined: IsInlined): Document {
  const whole = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(whole);
    if (!isRecord(value)) return value;
    const { $ref, ...beside } = value;
    if (typeof $ref !== "string" || !isInlined($ref, beside)) {
      return mapRecord(value, (item, key) => (key === "example" || key === "examples" ? item : whole(item)));
    }
    const target = valueAt(document, pointerSteps($ref));
    return whole({ ...(isRecord(target) && target), ...beside });
  };
  return mapRecord(document, whole);
}
