/** What "within hours" means everywhere: how soon a shift starts that allows no delay. Milliseconds. */
const URGENT_WITHIN_MS = 12 * 3_600_000;

/** Returns when a shift becomes urgent. Milliseconds since 1970. */
export const urgentAt = (startTime: Date | string): number =>
  new Date(startTime).getTime() - URGENT_WITHIN_MS;
