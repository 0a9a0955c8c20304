/**
 * The value that a share of all values (`quantile`, over 0 and up to 1) does not exceed, by linear interpolation in a histogram;
 * undefined when it is empty. `counts` has one bucket more than `edges`, without an upper edge: a value in it counts as its lower edge.
 */
export function quantileOf(
  quantile: number,
  counts: readonly number[],
  edges: readonly number[],
): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const rank = quantile * total;
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const lower = edges[index - 1] ?? 0;
      const upper = edges[index] ?? lower;
      return lower + (upper - lower) * ((rank - below) / count);
    }
    below += count;
  }
  return undefined;
}
