// A ladder: after how many milliseconds something is asked again, because a provider's replicas lag. Each counts from the same moment.

/** Returns when to ask again; undefined after the last rung: what was answered then is the truth. */
export const nextRung = (from: number, now: number, ladder: readonly number[]): number | undefined =>
  ladder.map((ms) => from + ms).find((at) => at > now);

/** No replica lags for longer than the last rung. */
export const lagOf = (ladder: readonly number[]): number => Math.max(0, ...ladder);
