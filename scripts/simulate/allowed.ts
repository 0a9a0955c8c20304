/** The allowed differences between the sides after the faults. Each is an open issue or a documented rule. */
export const ALLOWED = {
  unannounced: "no webhook of the shift was stored since it appeared: the contract has no list of shifts",
  mass_disappearance: "many shifts, or people, disappeared at once, and no operator has confirmed it",
  cancelled_by_platform:
    "the provider confirmed the platform's DELETE, and restored the shift later: an issue is open",
  removed_unseen:
    "the provider removed the person before any reading had shown the person, which resembles a provider that lists other ids",
  unassign_failed: "the provider refused to unassign the person: an issue is open",
  assigned_as_another:
    "the provider acknowledged the assignment of a person as that of another, whom a look-up does not find alone: an issue is open",
  backup_restored:
    "the provider confirmed an unassignment while it had lost the shift, and restored the shift with its old list",
  look_up_by_gateway:
    "a gateway responded with 404 to the lookup of a person, which a provider may also do for an unknown person",
  one_route_missing:
    "a gateway without a route for one operation responded with 404, while the provider responded to others",
} as const;

export type Allowed = keyof typeof ALLOWED;

/** Counts how often each allowance was needed. */
export class AllowedCounts {
  readonly counts = new Map<Allowed, number>();

  count(allowance: Allowed) {
    this.counts.set(allowance, (this.counts.get(allowance) ?? 0) + 1);
  }

  add(others: AllowedCounts) {
    for (const [allowance, count] of others.counts)
      this.counts.set(allowance, (this.counts.get(allowance) ?? 0) + count);
  }
}
