/** Limits of the mails with offers to one person, of all organisations together. */
export interface OfferMailLimits {
  /** The least time between two of them; 0: none. Milliseconds. */
  everyMs: number;
  /** The most within 24 hours; 0: no limit. */
  perDay: number;
}
