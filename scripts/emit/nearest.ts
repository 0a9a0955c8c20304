import { distance } from "fastest-levenshtein";

/** Returns the word that needs the fewest letters changed to become `text`; undefined if none is near. */
export function nearest(text: string, words: readonly string[]): string | undefined {
  const ranked = words.map((word) => ({ word, apart: distance(text.toLowerCase(), word.toLowerCase()) }));
  const [best] = ranked.sort((one, other) => one.apart - other.apart);
  // Two letters that are exchanged count as two changes.
  return best !== undefined && best.apart <= Math.max(2, Math.floor(text.length / 3)) ? best.word : undefined;
}
