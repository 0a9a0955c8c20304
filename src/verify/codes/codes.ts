import { accessCodes } from "./access.ts";
import { answerCodes } from "./answers.ts";
import type { CodeEntry } from "./code.ts";
import { compareCodes } from "./compare.ts";
import { inputCodes } from "./input.ts";
import { meaningCodes } from "./meaning.ts";
import { runCodes } from "./run.ts";
import { webhookCodes } from "./webhooks.ts";

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
