/** Random choices that a seed reproduces (a linear congruential generator). */
export interface Random {
  /** At least `low`, below `high`. */
  between(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
}

export function randomOf(seed: number): Random {
  let state = seed % 2 ** 31;
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  return {
    between: (low, high) => low + Math.floor(next() * (high - low)),
    pick: (from) => from[Math.floor(next() * from.length)] as (typeof from)[number],
  };
}
