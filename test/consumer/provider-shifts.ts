import { MatchersV3 } from "@pact-foundation/pact";
import type { KnownForms } from "../../src/verify/contracts.ts";
import { CALL, type Exchange, type Row } from "../harness/pact/exchange.ts";
import { anId, aText, aTime, EXAMPLES, oneOf, stated } from "../harness/pact/matching.ts";

const { shiftId, startTime, endTime, assignedCandidateId } = EXAMPLES;

/** The six fields of both variants, without the assigned candidates (contract 2.2). */
const SHARED = {
  id: anId("shiftId"),
  startTime: aTime(startTime),
  endTime: aTime(endTime),
  outletId: aText("4a9d3e5f-2f7d-4f39-bb5a-6f5c4b7b8d21"),
  roleId: aText("9d2f7a6b-1c3e-4a5d-8f7b-2e4d6c8a0b31"),
};

/** The only necessary field of each variant: the list of assigned candidates (contract 2.2). */
const SHIFTS = {
  a: { ...SHARED, assignedCandidates: MatchersV3.eachLike({ candidateId: anId("assignedCandidateId") }) },
  b: { ...SHARED, assignedCandidates: MatchersV3.eachLike({ id: anId("assignedCandidateId") }) },
};

const PATH = "/shifts/{shiftId}";
const HALF_FULL = { state: "a shift exists", parameters: { positions: 2, assigned: 1 } };
const GONE = { state: "a shift was deleted" };
const UNKNOWN = { state: "no such shift" };

const read: Pick<Exchange, "does" | "given" | "method" | "path" | "status"> = {
  does: "reads a shift",
  given: HALF_FULL,
  method: "GET",
  path: PATH,
  status: 200,
};

const update: Omit<Exchange, "status"> = {
  does: "replaces the times and positions of a shift",
  given: HALF_FULL,
  method: "PUT",
  path: PATH,
  body: {
    startTime: stated("{startTime}"),
    endTime: stated("{endTime}"),
    slots: MatchersV3.integer(2),
    numberOfPositions: MatchersV3.integer(2),
  },
};

const cancel: Omit<Exchange, "status" | "given"> = { does: "cancels a shift", method: "DELETE", path: PATH };

const getShift: Row["call"] = (client) => client.getShift(shiftId, CALL);
const updateShift: Row["call"] = (client) =>
  client.updateShift(shiftId, { startTime, endTime, positions: 2 }, CALL);
const cancelShift: Row["call"] = (client) => client.cancelShift(shiftId, CALL);

const UTC = { startTime: "2027-03-27T21:00:00.000Z", endTime: "2027-03-28T04:00:00.000Z" };
/** The reading of a minimal shift: one position, and a warning. */
const READ = {
  kind: "shift",
  shift: {
    id: shiftId,
    ...UTC,
    positions: 1,
    cancelled: false,
    warnings: ["positions_missing"],
    assigned: [{ providerCandidateId: assignedCandidateId, personalNumber: undefined }],
  },
};

const gone = (deleted: "404" | "410"): Row => ({
  calls: `getShift, deleted, ${deleted}`,
  exchanges: [
    { ...read, does: "reads a deleted shift", given: GONE, forms: { deleted }, status: Number(deleted) },
  ],
  call: getShift,
  gives: { kind: "absent", final: deleted === "410" },
});

/** A shift that is kept with the status `cancelled` may still be changed. */
const refused = (deleted: "404" | "410"): Row => ({
  calls: `updateShift, deleted, ${deleted}`,
  exchanges: [
    {
      ...update,
      does: "replaces the times of a deleted shift",
      given: GONE,
      forms: { deleted },
      status: oneOf(409, 404, 410, 422),
    },
  ],
  call: updateShift,
  gives: { kind: "refused", status: 409 },
});

const ofVariant = (variant: "a" | "b"): Row[] => {
  const readIt = { ...read, forms: { variant }, answer: SHIFTS[variant] };
  const forms: KnownForms = { variant, updated: "shift" };
  return [
    { calls: `getShift, variant ${variant}`, exchanges: [readIt], call: getShift, gives: READ },
    {
      calls: `updateShift, answered with the shift, variant ${variant}`,
      exchanges: [{ ...update, forms, status: 200, answer: SHIFTS[variant] }],
      call: updateShift,
      gives: READ,
    },
    {
      calls: `updateShift, answered with nothing and read again, variant ${variant}`,
      exchanges: [{ ...update, forms: { updated: "none" }, status: oneOf(204, 200) }, readIt],
      call: updateShift,
      gives: READ,
    },
  ];
};

export const shiftRows: readonly Row[] = [
  ...ofVariant("a"),
  ...ofVariant("b"),
  {
    calls: "getShift, unknown",
    exchanges: [
      { ...read, does: "reads a shift that is not there", given: UNKNOWN, status: oneOf(404, 410) },
    ],
    call: getShift,
    gives: { kind: "absent", final: false },
  },
  gone("404"),
  gone("410"),
  {
    calls: "getShift, deleted, status cancelled",
    exchanges: [
      {
        ...read,
        does: "reads a deleted shift",
        given: GONE,
        forms: { variant: "b", deleted: "cancelled" },
        // The assigned candidates may still be listed.
        answer: { ...SHARED, assignedCandidates: MatchersV3.like([]), status: "cancelled" },
      },
    ],
    call: getShift,
    gives: { kind: "shift", shift: { id: shiftId, cancelled: true } },
  },
  refused("404"),
  refused("410"),
  {
    calls: "cancelShift",
    exchanges: [{ ...cancel, given: { state: "a shift exists", parameters: { positions: 1 } }, status: 204 }],
    call: cancelShift,
    gives: { kind: "cancelled" },
  },
  {
    calls: "cancelShift, gone already",
    exchanges: [
      { ...cancel, does: "cancels a shift that is not there", given: UNKNOWN, status: oneOf(404, 410, 204) },
    ],
    call: cancelShift,
    gives: { kind: "absent", final: false },
  },
];
