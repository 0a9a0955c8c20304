/** How often the platform reads each future shift again, at most 10 % later. Milliseconds. */
export const RECONCILE_MS = 8_000;
