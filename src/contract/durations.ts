export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The minute that a time is in for people. Some providers return other seconds or milliseconds with each change. Milliseconds since 1970. */
export const wholeMinute = (ms: number): number => Math.round(ms / MINUTE_MS) * MINUTE_MS;
