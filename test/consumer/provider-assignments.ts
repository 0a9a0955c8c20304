import { CALL, type Exchange, type Row } from "../harness/pact/exchange.ts";
import { anId, aTime, EXAMPLES, oneOf } from "../harness/pact/matching.ts";

const { shiftId, candidateId, assignedCandidateId } = EXAMPLES;

const FREE = { state: "a shift exists", parameters: { positions: 1 } };
const HALF_FULL = { state: "a shift exists", parameters: { positions: 2, assigned: 1 } };
const TAKEN = { state: "a shift exists", parameters: { positions: 1, assigned: 1 } };

const assign: Omit<Exchange, "status"> = {
  does: "assigns a candidate",
  given: FREE,
  method: "PUT",
  path: "/shifts/{shiftId}/assign/{candidateId}",
};
const ofAssigned = "/shifts/{shiftId}/assign/{assignedCandidateId}";
const putUnassign: Omit<Exchange, "status"> = {
  does: "unassigns a candidate with PUT",
  given: TAKEN,
  method: "PUT",
  path: "/shifts/{shiftId}/unassign/{assignedCandidateId}",
};
const deleteAssignment: Omit<Exchange, "status"> = {
  does: "unassigns a candidate with DELETE",
  given: TAKEN,
  method: "DELETE",
  path: ofAssigned,
};

/** The context description's form: the ids must be the requested ones, which the client checks. */
const DETAILED = {
  success: true,
  shiftId: anId("shiftId"),
  candidateId: anId("candidateId"),
  assignedAt: aTime("2027-03-01T09:30:00Z"),
};

const assignFree: Row["call"] = (client) => client.assign({ shiftId, candidateId }, CALL);
const unassignAssigned: Row["call"] = (client) =>
  client.unassign({ shiftId, candidateId: assignedCandidateId }, CALL);

const acknowledged = (acknowledgement: "minimal" | "full", answer: object): Row => ({
  calls: `assign, ${acknowledgement} acknowledgement`,
  exchanges: [{ ...assign, forms: { acknowledgement }, status: 200, answer }],
  call: assignFree,
  gives: { kind: "assigned" },
});

export const assignmentRows: readonly Row[] = [
  acknowledged("minimal", { success: true }),
  acknowledged("full", DETAILED),
  {
    calls: "assign, 204",
    exchanges: [{ ...assign, forms: { acknowledgement: "none" }, status: 204 }],
    call: assignFree,
    gives: { kind: "assigned" },
  },
  {
    calls: "assign, the same again",
    exchanges: [
      {
        ...assign,
        does: "assigns a candidate again",
        given: HALF_FULL,
        path: ofAssigned,
        status: oneOf(204, 200),
      },
    ],
    call: (client) => client.assign({ shiftId, candidateId: assignedCandidateId }, CALL),
    gives: { kind: "assigned" },
  },
  {
    calls: "assign, full",
    exchanges: [
      {
        ...assign,
        does: "assigns a candidate to a full shift",
        given: TAKEN,
        forms: { full: "refused" },
        status: 409,
      },
    ],
    call: assignFree,
    gives: { kind: "refused", status: 409 },
  },
  {
    calls: "unassign with PUT",
    exchanges: [{ ...putUnassign, forms: { unassign: "put" }, status: oneOf(204, 200) }],
    call: unassignAssigned,
    gives: { kind: "unassigned" },
  },
  {
    calls: "unassign with DELETE, after PUT is not offered",
    exchanges: [
      { ...putUnassign, forms: { unassign: "delete" }, status: oneOf(405, 404) },
      { ...deleteAssignment, forms: { unassign: "delete" }, status: oneOf(204, 200) },
    ],
    call: unassignAssigned,
    gives: { kind: "unassigned" },
  },
  {
    calls: "unassign with DELETE, once that is known",
    exchanges: [{ ...deleteAssignment, forms: { unassign: "delete" }, status: oneOf(204, 200) }],
    seen: { unassign: "delete" },
    call: unassignAssigned,
    gives: { kind: "unassigned" },
  },
];
