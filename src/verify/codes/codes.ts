import { accessCodes, answerCodes } from "./answers.ts";
import { type CodeEntry, meaningCodes } from "./meaning.ts";
import { compareCodes, inputCodes, runCodes, webhookCodes } from "./run.ts";

export const codes = {
  ...answerCodes,
  ...accessCodes,
  ...inputCodes,
  ...meaningCodes,
  ...runCodes,
  ...webhookCodes,
  ...compareCodes,
} as const;

export type AnyCode = keyof typeof codes;
export type SkipCode = Extract<AnyCode, `skipped_${string}`>;
/** A contract violation (error), or something unusual (warning). */
export type Code = Exclude<AnyCode, SkipCode>;

export function entryOf(code: AnyCode): CodeEntry {
  return codes[code];
}
