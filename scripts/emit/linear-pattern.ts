import { isSafePattern } from "redos-detector";

/**
 * Returns whether every search with the expression takes time linear in the length of the text, as it does without an unbounded repetition. It errs on the safe side: an unbounded
 * repetition that may start anywhere in the text counts as slow, even if what precedes it cannot be part of it.
 */
export function isLinear({ source, flags }: Pick<RegExp, "source" | "flags">): boolean {
  const plain = source.replaceAll(/\\./g, "x").replaceAll(/\[[^[\]]*\]/g, "x");
  const repetitions = plain.match(/[*+]|\{\d{1,9},\}/g)?.length ?? 0;
  if (repetitions === 0 || (repetitions === 1 && !flags.includes("m") && isAnchored(plain))) return true;
  return isSafePattern(source, {
    caseInsensitive: flags.includes("i"),
    dotAll: flags.includes("s"),
    multiLine: flags.includes("m"),
    unicode: flags.includes("u"),
    maxSteps: 5_000,
  }).safe;
}

/**
 * Whether the expression starts at the start of the text and repeats no group: with one unbounded repetition, there is then a fixed number of
 * ways to match each length. The detector takes seconds to find that out for a long expression.
 */
function isAnchored(plain: string): boolean {
  return plain.startsWith("^") && !hasAlternatives(plain) && !/\)[*+{]/.test(plain);
}

/** Whether there is a `|` outside of all groups. */
function hasAlternatives(plain: string): boolean {
  const outside = plain.replaceAll(/\([^()]*\)/g, "");
  return outside === plain ? plain.includes("|") : hasAlternatives(outside);
}
