/** Returns the value below which the part `q` (0 to 1) of the values lies, by the nearest rank. @throws RangeError without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))];
  if (value === undefined) throw new RangeError("quantile of no values");
  return value;
}

/** Returns the middle value, or the mean of the two in the middle. @throws RangeError without values. */
export function median(values: readonly number[]): number {
  const half = values.length / 2;
  if (values.length % 2 === 1) return quantile(values, 0.5);
  return (quantile(values, 0.5) + quantile(values, (half + 1) / values.length)) / 2;
}

/** How two figures relate: the ratio of the medians, and the least and the greatest ratio within one round. */
export interface Ratio {
  ratio: number;
  low: number;
  high: number;
}

/** Relates figures that were measured in turn, a pair each round. @throws RangeError if a round is missing on one side. */
export function ratioOf(numerators: readonly number[], denominators: readonly number[]): Ratio {
  if (numerators.length !== denominators.length) throw new RangeError("a round is missing on one side");
  const each = numerators.map((value, round) => value / (denominators[round] ?? Number.NaN));
  return {
    ratio: median(numerators) / median(denominators),
    low: Math.min(...each),
    high: Math.max(...each),
  };
}

/** Measures each contender in turn, round after round: other load of the machine then affects all of them. */
export async function alternate<Name extends string, T>(
  contenders: Readonly<Record<Name, () => Promise<T>>>,
  rounds: number,
  onTurn: (name: Name, round: number) => void = () => undefined,
): Promise<Record<Name, T[]>> {
  const names = Object.keys(contenders) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>;
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      onTurn(name, round);
      measured[name].push(await contenders[name]());
    }
  }
  return measured;
}
