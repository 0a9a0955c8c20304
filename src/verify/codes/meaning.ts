/** One kind of finding. Codes are never renamed; adding is fine. */
export interface CodeEntry {
  severity: "error" | "warning" | "skipped";
  /** A noun phrase or a short statement. */
  title: string;
  /** Section of spec/contract.md. */
  section: string;
  /** What an engineer of the provider changes. */
  fix: string;
}

export type CodeEntries = Readonly<Record<string, CodeEntry>>;

const entryOf = (severity: CodeEntry["severity"]) => (section: string, title: string) => ({
  fix: (fix: string): CodeEntry => ({ severity, title, section, fix }),
});

export const error = entryOf("error");
export const warning = entryOf("warning");
export const skip = entryOf("skipped");

/** Violations in behaviour: acknowledged changes that were not applied, and data that does not match. */
export const meaningCodes = {
  answer_unstable: error("4.2", "The same read returns different results").fix(
    "Look for a replica, a cache or a code path that occasionally returns different data.",
  ),
  update_without_effect: error("4.2", "An update was acknowledged but not applied").fix(
    "Store startTime, endTime and slots before responding to PUT /shifts/{id}.",
  ),
  offset_ignored: error("2.2", "The offset of the request was ignored").fix(
    "Read the offset of each time, or the Z, and store the moment: 22:00+02:00 is 20:00Z, whatever the zone of the server.",
  ),
  update_refused: warning("4.2", "The times and positions of a shift cannot be changed").fix(
    "Accept PUT /shifts/{id} and ignore unknown fields in its body; otherwise employers cannot change shifts on the platform.",
  ),
  assign_without_effect: error("4.2", "An assignment was acknowledged but not applied").fix(
    "Store the assignment before responding, and list it in the shift's assignedCandidates.",
  ),
  assign_not_idempotent: error("4.2", "A repeated assignment is not idempotent").fix(
    "Respond to a repeated assignment as to the first one, without a second entry: a retry must be safe.",
  ),
  unassign_absent: error("4.2", "Candidates cannot be unassigned").fix(
    "Offer PUT /shifts/{id}/unassign/{candidateId} or DELETE /shifts/{id}/assign/{candidateId}.",
  ),
  unassign_without_effect: error("4.2", "An unassignment was acknowledged but not applied").fix(
    "Remove the candidate from the shift's assignedCandidates before responding.",
  ),
  cancel_without_effect: error("4.2", "A cancellation was acknowledged but not applied").fix(
    "After DELETE /shifts/{id}, return 404, 410, or the shift with the status cancelled from GET.",
  ),
  cancelled_assigned: error("4.2", "A candidate can be assigned to a deleted shift").fix(
    "Return 404, 409 or 410 for an assignment once the shift is cancelled.",
  ),
  overbooked: error("2.2", "A shift accepts more candidates than it has positions").fix(
    "Compare the number of assigned candidates with the positions before storing the assignment: refuse when they are equal.",
  ),
  not_restored: error("4.2", "The shift could not be restored").fix(
    "Change only what PUT /shifts/{id} names; then restore the listed fields manually.",
  ),
  shift_changed_unasked: error("4.2", "A call changed more of the shift than requested").fix(
    "Leave times, outlet and role unchanged when a candidate is assigned or unassigned, and never change ids.",
  ),
  create_without_effect: error("4.2", "A created candidate is not found").fix(
    "Store the candidate before responding, so that GET /candidates finds them by personal number.",
  ),
  candidate_differs: error("2.3", "A candidate differs from what was sent").fix(
    "Store and return personal number, names, e-mail and phone as they were sent.",
  ),
  candidate_unstable: error("2.3", "The id of a candidate changes").fix(
    "Give each candidate a permanent id: the platform uses it for bookings.",
  ),
  candidate_twice: warning("2.8", "The same person can be created twice").fix(
    "Return 409, or 200 with the existing candidate: two entries for one person block every booking.",
  ),
  lookup_ignores_query: error("4.2", "A lookup returns people who do not match").fix(
    "Return from GET /candidates?personalNumber= only the person with that number, or no one.",
  ),
  lookup_misses: error("4.2", "A known candidate is not found").fix(
    "Find candidates by personal number in GET /candidates, or correct knownPersonalNumber in the fixtures.",
  ),
  lookup_ambiguous: error("2.8", "A lookup of one person returns two").fix(
    "Keep one candidate for each personal number: it identifies a person, and two matches block every booking.",
  ),
  number_form_ignored: warning(
    "2.8",
    "A candidate is found under one format of the personal number only",
  ).fix("Treat YYYYMMDDXXXX and YYYYMMDD-XXXX as the same number."),
  outlet_unknown: error("2.6", "A shift is at an outlet that is not listed").fix(
    "List every outlet in GET /outlets under the id that shifts use: an outlet that is not listed cannot be mapped.",
  ),
  role_unknown: error("2.7", "A shift has a role that is not listed").fix(
    "List every role in GET /roles under the id that shifts use: a role that is not listed cannot be mapped.",
  ),
  registry_loops: error("4.2", "The pages of the registry do not end").fix(
    "Omit nextCursor on the last page, and give each page its own cursor.",
  ),
  registry_incomplete: error("4.2", "The pages of the registry omit people").fix(
    "Let nextCursor lead to exactly the entries that follow those of the page.",
  ),
  registry_unmatched: error("2.5", "A person of the registry is not found or has a different id").fix(
    "Use the same ids and personal numbers in GET /candidates/registry and GET /candidates.",
  ),
  contract_broken: error("4.2", "A Pact interaction of the platform fails").fix(
    "Compare the response with the interaction of that name in contracts/.",
  ),
} as const satisfies CodeEntries;
