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

export interface Suggester {
  /** Which of the options is `wanted`? Equal names or addresses are certain, similar names are only suggested. */
  guess(wanted: Omit<Option, "id">): Guess;
  /** What an operator may confirm, best first; also what is certain but was added after the provider was last read. */
  suggest(wanted: Omit<Option, "id">): Suggestion[];
}

/** Reads the options once: thousands of outlets are compared with thousands of workplaces. */
export function suggester(options: readonly Option[]): Suggester {
  const named = options.map((option) => ({ ...option, normalised: normalise(option.name) }));
  const equal = new Map<string, Set<Named>>();
  for (const option of named)
    for (const key of keysOf(option)) equal.set(key, (equal.get(key) ?? new Set()).add(option));
  const certainOf = (wanted: Omit<Option, "id">) => {
    const found = new Set(keysOf(wanted).flatMap((key) => [...(equal.get(key) ?? [])]));
    const [only, another] = found;
    return another ? undefined : only;
  };
  // What is certain needs no comparison.
  let compare: ReturnType<typeof comparer> | undefined;
  const similarTo = ({ name }: Omit<Option, "id">): Suggestion[] => {
    compare ??= comparer(named);
    const { best, score, next } = compare(normalise(name));
    const isClear = best !== undefined && score >= SIMILAR && score - next >= AHEAD;
    return isClear ? [{ id: best.id, name: best.name, score }] : [];
  };
  return {
    guess: (wanted) => {
      const certain = certainOf(wanted);
      if (certain) return { certain: certain.id, suggestions: [] };
      return { certain: undefined, suggestions: similarTo(wanted) };
    },
    suggest: (wanted) => {
      const certain = certainOf(wanted);
      if (!certain) return similarTo(wanted);
      const { id, name, normalised } = certain;
      return [{ id, name, score: dice(normalise(wanted.name), normalised) }];
    },
  };
}

interface Named extends Option {
  normalised: string;
}

/** What two equal ones have in common. */
function keysOf({ name, address }: Omit<Option, "id">): string[] {
  const [ofName, ofAddress] = [normalise(name), normalise(address ?? "")];
  return [ofName && `name ${ofName}`, ofAddress && `address ${ofAddress}`].filter((key) => key !== "");
}

/** Returns the option whose name is the most similar to a normalised one, its score, and the score of the next. */
function comparer(options: readonly Named[]) {
  const holders = new Map<string, { at: number; count: number }[]>();
  for (const [at, { normalised }] of options.entries())
    for (const [pair, count] of bigrams(normalised)) {
      const known = holders.get(pair);
      if (known) known.push({ at, count });
      else holders.set(pair, [{ at, count }]);
    }
  return (wanted: string) => {
    const shared = new Float64Array(options.length);
    for (const [pair, count] of bigrams(wanted))
      for (const holder of holders.get(pair) ?? [])
        shared[holder.at] = (shared[holder.at] ?? 0) + Math.min(count, holder.count);
    let [best, score, next]: [Named | undefined, number, number] = [undefined, 0, 0];
    for (const [at, option] of options.entries()) {
      const each = (2 * (shared[at] ?? 0)) / (wanted.length + option.normalised.length - 2);
      // Of names without a bigram it is no number.
      if (each > score) [best, score, next] = [option, each, score];
      else if (each > next) next = each;
    }
    return { best, score, next };
  };
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
