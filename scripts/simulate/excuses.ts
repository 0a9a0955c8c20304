/** Why two sides may disagree although the faults have ended. Each is an open issue or a rule that is documented. */
export const EXCUSES = {
  unannounced: "no webhook of the shift was stored since it appeared: the contract has no list of shifts",
  mass_disappearance: "many shifts disappeared at once, and no operator has confirmed it",
  cancelled_here: "the provider confirmed the platform's DELETE, and restored the shift later",
  removed_unseen:
    "the provider took the person off before any reading had shown the person: a provider that lists other ids looks the same",
  unassign_failed: "the provider refused to unassign the person: an issue is open",
  backup_restored:
    "the provider confirmed the unassignment of someone while it had lost the shift, and restored the shift with its old list",
  look_up_by_gateway:
    "a gateway answered the look-up of a person with 404, which is also a provider's way to say that it knows no one",
  one_route_missing:
    "a gateway without a route for one operation answered 404 to it, while the provider responded to others",
} as const;

export type Excuse = keyof typeof EXCUSES;

/** How often each excuse was needed. */
export class Excuses {
  readonly counts = new Map<Excuse, number>();

  count(excuse: Excuse) {
    this.counts.set(excuse, (this.counts.get(excuse) ?? 0) + 1);
  }

  add(others: Excuses) {
    for (const [excuse, count] of others.counts)
      this.counts.set(excuse, (this.counts.get(excuse) ?? 0) + count);
  }
}
