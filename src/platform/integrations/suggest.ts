/** A workplace or competence to which an outlet or role may be mapped. */
export interface Option {
  id: string;
  name: string;
  address?: string | null;
}

export interface Suggestion {
  id: string;
  name: string;
  /** 0 to 1. */
  score: number;
}

export interface Guess {
  /** The one option that it certainly is: the same normalised name, or the same address. */
  certain: string | undefined;
  /** What an operator may confirm, best first. */
  suggestions: Suggestion[];
}

/** decisions, "mapping suggestions": "Stureplan" and "Sturegatan" score 0.83 and are two places. */
const SIMILAR = 0.85;
const AHEAD = 0.15;

/** Which of the options is `wanted`? Equal names or addresses are certain, similar names are only suggested. */
export function guess(wanted: Omit<Option, "id">, options: readonly Option[]): Guess {
  const [only, another] = options.filter((option) => isEqual(wanted, option));
  if (only && !another) return { certain: only.id, suggestions: [] };
  const scored = options
    .map((option) => scoredAs(wanted, option))
    .sort((left, right) => right.score - left.score);
  const [best, next] = scored;
  const isClear = best !== undefined && best.score >= SIMILAR && best.score - (next?.score ?? 0) >= AHEAD;
  return { certain: undefined, suggestions: isClear ? [best] : [] };
}

/** What an operator may confirm, best first; also what is certain but was added after the provider was last read. */
export function suggest(wanted: Omit<Option, "id">, options: readonly Option[]): Suggestion[] {
  const { certain, suggestions } = guess(wanted, options);
  const sure = options.filter(({ id }) => id === certain).map((option) => scoredAs(wanted, option));
  return [...sure, ...suggestions];
}

function scoredAs(wanted: Omit<Option, "id">, { id, name }: Option): Suggestion {
  return { id, name, score: dice(normalise(wanted.name), normalise(name)) };
}

function isEqual(wanted: Omit<Option, "id">, option: Option): boolean {
  const name = normalise(wanted.name);
  if (name !== "" && name === normalise(option.name)) return true;
  const address = normalise(wanted.address ?? "");
  return address !== "" && address === normalise(option.address ?? "");
}

const NOISE = new Set(["ab", "hb", "restaurang"]);

/** Drops case, diacritics, punctuation and noise words. */
function normalise(name: string): string {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "" && !NOISE.has(word));
  return words.join(" ");
}

/** Dice coefficient of the bigrams, 0 to 1. */
function dice(left: string, right: string): number {
  const ofLeft = bigrams(left);
  const ofRight = bigrams(right);
  const total = left.length + right.length - 2;
  // A name of noise words alone matches no other.
  if (total <= 0) return left === right && left !== "" ? 1 : 0;
  let shared = 0;
  for (const [pair, count] of ofLeft) shared += Math.min(count, ofRight.get(pair) ?? 0);
  return (2 * shared) / total;
}

function bigrams(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (let index = 0; index < text.length - 1; index += 1) {
    const pair = text.slice(index, index + 2);
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  }
  return counts;
}
