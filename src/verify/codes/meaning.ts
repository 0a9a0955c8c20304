import type { CodeEntries } from "./code.ts";

/** Whether what was acknowledged has happened, and the parts fit together. */
export const meaningCodes = {
  answer_unstable: {
    severity: "error",
    title: "The same read gives different answers",
    section: "4.2",
    mend: "Look for a replica, a cache or a code path that answers differently now and then.",
  },
  update_without_effect: {
    severity: "error",
    title: "A change was acknowledged and is not there",
    section: "4.2",
    mend: "Store startTime, endTime and slots before answering PUT /shifts/{id}.",
  },
  update_refused: {
    severity: "warning",
    title: "The times and positions of a shift cannot be changed",
    section: "4.2",
    mend: "Accept PUT /shifts/{id} and leave out of account what you do not know in its body, or expect that employers cannot change shifts on the platform.",
  },
  assign_without_effect: {
    severity: "error",
    title: "An assignment was acknowledged and is not there",
    section: "4.2",
    mend: "Store the assignment before answering, and list it in the shift's assignedCandidates.",
  },
  assign_not_idempotent: {
    severity: "error",
    title: "The same assignment again is not the same",
    section: "4.2",
    mend: "Answer a repeated assignment like the first one, without a second entry: a retry must be safe.",
  },
  unassign_absent: {
    severity: "error",
    title: "Nobody can be unassigned",
    section: "4.2",
    mend: "Offer PUT /shifts/{id}/unassign/{candidateId} or DELETE /shifts/{id}/assign/{candidateId}.",
  },
  unassign_without_effect: {
    severity: "error",
    title: "An unassignment was acknowledged and the candidate is still there",
    section: "4.2",
    mend: "Take the candidate out of the shift's assignedCandidates before answering.",
  },
  cancel_without_effect: {
    severity: "error",
    title: "A cancellation was acknowledged and the shift is still there",
    section: "4.2",
    mend: "After DELETE /shifts/{id}, GET answers 404, 410, or the shift with the status cancelled.",
  },
  cancelled_assigned: {
    severity: "error",
    title: "A candidate can be assigned to a shift that is gone",
    section: "4.2",
    mend: "Answer 404, 409 or 410 to an assignment once the shift is cancelled.",
  },
  shift_changed_unasked: {
    severity: "error",
    title: "A call changed more of the shift than it was asked to",
    section: "4.2",
    mend: "Leave times, outlet and role as they were when somebody is assigned or unassigned, and ids always.",
  },
  create_without_effect: {
    severity: "error",
    title: "A created candidate is not found again",
    section: "4.2",
    mend: "Store the candidate before answering, so that GET /candidates finds them under their personal number.",
  },
  candidate_differs: {
    severity: "error",
    title: "A candidate is not as they were sent",
    section: "2.3",
    mend: "Store and answer personal number, names, e-mail and phone as they were sent.",
  },
  candidate_unstable: {
    severity: "error",
    title: "A candidate's id changes",
    section: "2.3",
    mend: "Give each candidate one id for good: the platform books under it.",
  },
  candidate_twice: {
    severity: "warning",
    title: "The same person can be created twice",
    section: "2.8",
    mend: "Answer 409, or 200 with the candidate who is there: two entries of one person stop every booking.",
  },
  lookup_ignores_query: {
    severity: "error",
    title: "A lookup finds people who were not asked for",
    section: "4.2",
    mend: "Answer GET /candidates?personalNumber= with exactly that person, or with nobody.",
  },
  lookup_misses: {
    severity: "error",
    title: "Somebody whom the provider knows is not found",
    section: "4.2",
    mend: "Find a candidate under their personal number in GET /candidates, or correct knownPersonalNumber in the fixtures.",
  },
  lookup_ambiguous: {
    severity: "error",
    title: "A lookup of one person finds two",
    section: "2.8",
    mend: "Keep one candidate for each personal number: it identifies a person, and two matches stop every booking.",
  },
  number_form_ignored: {
    severity: "warning",
    title: "A candidate is found under one form of the personal number only",
    section: "2.8",
    mend: "Read YYYYMMDDXXXX and YYYYMMDD-XXXX as the same number.",
  },
  outlet_unknown: {
    severity: "error",
    title: "A shift is at an outlet that is not listed",
    section: "2.6",
    mend: "List every outlet in GET /outlets under the id that shifts name: what is not listed cannot be mapped.",
  },
  role_unknown: {
    severity: "error",
    title: "A shift has a role that is not listed",
    section: "2.7",
    mend: "List every role in GET /roles under the id that shifts name: what is not listed cannot be mapped.",
  },
  registry_loops: {
    severity: "error",
    title: "The registry's pages do not end",
    section: "4.2",
    mend: "Leave nextCursor away on the last page, and give each page a cursor of its own.",
  },
  registry_incomplete: {
    severity: "error",
    title: "The registry's pages leave people out",
    section: "4.2",
    mend: "Let nextCursor lead to exactly the entries that follow those of the page.",
  },
  registry_unmatched: {
    severity: "error",
    title: "A person of the registry is not found, or is somebody else",
    section: "2.5",
    mend: "Use the same ids and personal numbers in GET /candidates/registry and GET /candidates.",
  },
  contract_broken: {
    severity: "error",
    title: "A contract of the platform is not honoured",
    section: "4.2",
    mend: "Compare the answer with the interaction of that name in contracts/.",
  },
} as const satisfies CodeEntries;
