/** The value below which the part `q` (0 to 1) of the values lies, by the nearest rank. @throws RangeError without values. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(q * sorted.length) - 1))];
  if (value === undefined) throw new RangeError("there is no quantile of nothing");
  return value;
}

/** The middle one, or the mean of the two in the middle. @throws RangeError without values. */
export function median(values: readonly number[]): number {
  const half = values.length / 2;
  if (values.length % 2 === 1) return quantile(values, 0.5);
  return (quantile(values, 0.5) + quantile(values, (half + 1) / values.length)) / 2;
}

/** How often one figure is the other: the ratio of the medians, and the least and the greatest ratio within one round. */
export interface Ratio {
  ratio: number;
  low: number;
  high: number;
}

/** Of figures that were measured in turn, a pair each round. @throws RangeError when there are not as many of one as of the other. */
export function ratioOf(ours: readonly number[], theirs: readonly number[]): Ratio {
  if (ours.length !== theirs.length) throw new RangeError("a round is missing on one side");
  const each = ours.map((value, round) => value / (theirs[round] ?? Number.NaN));
  return { ratio: median(ours) / median(theirs), low: Math.min(...each), high: Math.max(...each) };
}
