/** How often the platform reads each future shift again, at most 10 % later. Milliseconds. */
export const RECONCILE_MS = 8_000;

/** How patient the platform is with a 404: when it reads the shift again, each time after so many milliseconds. */
export const ABSENCE_RETRIES_MS: readonly number[] = [50, 150, 300];
