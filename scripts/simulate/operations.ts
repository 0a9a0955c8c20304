import type { ShiftOutcome } from "../../src/clients/provider/shifts.ts";
import type { Answer } from "../../src/platform/people/plan.ts";
import type { Call, CallOutcome } from "../../src/platform/shifts/plan/state.ts";
import type { ProviderRecords, ProviderShift } from "./provider.ts";

/** A call as the provider receives it. */
export type Request =
  | { do: "read"; shiftId: string }
  | { do: "outlets" }
  | { do: "look_up"; candidateId: string }
  | { do: "create"; candidateId: string; key: string }
  | { do: "call"; shiftId: string; call: Call };

export type Response = ShiftOutcome | CallOutcome | Answer | { kind: "list" };

/** The effects of a request beyond the records. */
export interface Effects {
  changed(shiftId: string, event: "shift.update" | "shift.delete"): void;
  created(candidateId: string): void;
}

const refused = (status: number, code: string | undefined) => ({ kind: "refused", status, code }) as const;

/** Performs a request at the provider at that time, in its dialect. `readAt`: the time of the state that a replica returns. */
export function carryOut(
  records: ProviderRecords,
  request: Request,
  { now, readAt }: { now: number; readAt: number },
  effects: Effects,
): Response {
  switch (request.do) {
    case "outlets":
      return { kind: "list" };
    case "read":
      return shown(records, request.shiftId, readAt);
    case "look_up": {
      const isFound = (id: string | undefined) =>
        id === request.candidateId || (records.dialect.sharesIds && id === "c0");
      const known = records.people.filter(({ candidateId }) => isFound(candidateId));
      const [only, ...others] = known;
      if (others.length === 0) only?.foundFor.add(request.candidateId);
      return { kind: "found", ids: known.map(({ id }) => id) };
    }
    case "create":
      return create(records, request, effects);
    case "call":
      return change(records, request.shiftId, request.call, now, effects);
  }
}

function shown(records: ProviderRecords, shiftId: string, at: number): ShiftOutcome {
  const shift = records.asOf(shiftId, at);
  return shift ? { kind: "shift", shift: records.asRead(shift) } : absent(records, shiftId, at);
}

/** Returns the absence: permanent only if the shift existed. */
function absent(records: ProviderRecords, shiftId: string, at: number) {
  const { dialect } = records;
  const code = dialect.absence === "404_bare" ? undefined : "shift_not_found";
  const wasThere = records
    .versionsOf(shiftId)
    .some((version) => version.at <= at && version.shift !== undefined);
  const isKnown = wasThere && !records.forgotten.has(shiftId);
  return { kind: "absent", final: dialect.absence === "410_coded" && isKnown, code } as const;
}

function create(
  records: ProviderRecords,
  { candidateId, key }: Extract<Request, { do: "create" }>,
  effects: Effects,
): Answer {
  const { repeatedCreate } = records.dialect;
  const known = records.people.find((person) => person.candidateId === candidateId);
  const repeated = records.people.find((person) => person.key === key);
  if (known && repeatedCreate === "409") return { kind: "exists" };
  if (known && repeatedCreate === "same_person") return { kind: "created", id: known.id };
  if (repeated && repeatedCreate === "idempotency_key") return { kind: "created", id: repeated.id };
  effects.created(candidateId);
  return { kind: "created", id: records.addPerson({ candidateId, by: "platform", key }).id };
}

function change(
  records: ProviderRecords,
  shiftId: string,
  call: Call,
  now: number,
  effects: Effects,
): CallOutcome {
  const shift = records.current(shiftId);
  const codeOf = (code: string) => (records.dialect.refusalsHaveCodes ? code : undefined);
  if (call.do === "cancel") return cancel(records, shiftId, now, effects);
  if (!shift)
    return call.do === "change" ? absent(records, shiftId, now) : missing(records, shiftId, call.do);
  if (shift.isCancelled)
    return call.do === "unassign"
      ? takeOff(records, shift, call.providerCandidateId, now)
      : refused(409, codeOf("shift_cancelled"));
  switch (call.do) {
    case "assign":
      return assign(records, shift, call.providerCandidateId, now, effects);
    case "unassign":
      return unassign(records, shift, call.providerCandidateId, now, effects);
    case "change": {
      if (!records.dialect.acceptsChanges) return refused(409, undefined);
      const { roundsToMs } = records.dialect;
      const rounded = (time: string) => Math.round(Date.parse(time) / roundsToMs) * roundsToMs;
      const { startTime, endTime, positions } = call.values;
      records.patch(shift.id, { start: rounded(startTime), end: rounded(endTime), positions }, now);
      records.noteRequested(shift.id, call, now);
      effects.changed(shift.id, "shift.update");
      return shown(records, shift.id, now) as CallOutcome;
    }
  }
}

/** Returns the result for a missing shift. The client accepts every form of "was not assigned" as success. */
function missing(records: ProviderRecords, shiftId: string, what: "assign" | "unassign"): CallOutcome {
  const { dialect, lost, unassignedWhileLost } = records;
  if (what === "unassign") {
    if (lost.has(shiftId)) unassignedWhileLost.add(shiftId);
    return { kind: "done" };
  }
  const code = dialect.absence === "404_bare" ? undefined : "shift_not_found";
  return refused(dialect.absence === "410_coded" ? 410 : 404, code);
}

function cancel(records: ProviderRecords, shiftId: string, now: number, effects: Effects): CallOutcome {
  const shift = records.current(shiftId);
  if (!shift) return absent(records, shiftId, now);
  if (shift.isCancelled) return { kind: "done" };
  const isKept = records.dialect.afterDelete === "cancelled";
  records.write(shift.id, isKept ? { ...shift, isCancelled: true } : undefined, now);
  effects.changed(shift.id, "shift.delete");
  return { kind: "done" };
}

function assign(
  records: ProviderRecords,
  shift: ProviderShift,
  personId: string,
  now: number,
  effects: Effects,
): CallOutcome {
  const { dialect } = records;
  const codeOf = (code: string) => (dialect.refusalsHaveCodes ? code : undefined);
  const id = records.called(personId)?.id;
  if (id === undefined) return refused(404, codeOf("candidate_not_found"));
  if (shift.entries.some((entry) => entry.personId === id))
    return dialect.repeatedAssign === "ok" ? acknowledged(personId, id) : refused(409, undefined);
  if (shift.start <= now) return refused(409, codeOf("shift_started"));
  if (shift.entries.length >= shift.positions) return refused(409, codeOf("shift_full"));
  records.patch(
    shift.id,
    { entries: [...shift.entries, { personId: id, by: "platform", assignedAs: personId }] },
    now,
  );
  effects.changed(shift.id, "shift.update");
  return acknowledged(personId, id);
}

/** Returns a full acknowledgement of an assignment, as the client reads it. */
const acknowledged = (personId: string, id: string): CallOutcome =>
  id === personId ? { kind: "done" } : { ...refused(200, "assignment_of_another"), assignedAs: id };

/** A shift that is cancelled keeps its list: what is confirmed holds when the shift is restored. */
function takeOff(records: ProviderRecords, shift: ProviderShift, personId: string, now: number): CallOutcome {
  const id = records.called(personId)?.id;
  const entries = shift.entries.filter((entry) => entry.personId !== id);
  if (entries.length < shift.entries.length) records.write(shift.id, { ...shift, entries }, now);
  return { kind: "done" };
}

/** Returns the result for an id that the provider does not know: without a code, its route may be missing as well. */
const unknownPerson = ({ dialect }: ProviderRecords): CallOutcome =>
  dialect.refusalsHaveCodes
    ? refused(404, "candidate_not_found")
    : ({ kind: "done", unproven: true } as CallOutcome);

function unassign(
  records: ProviderRecords,
  shift: ProviderShift,
  personId: string,
  now: number,
  effects: Effects,
): CallOutcome {
  const id = records.called(personId)?.id;
  if (id === undefined) return unknownPerson(records);
  const entries = shift.entries.filter((entry) => entry.personId !== id);
  if (entries.length === shift.entries.length)
    return records.dialect.unassignUnassigned === "409" ? refused(409, undefined) : { kind: "done" };
  if (shift.start <= now) return refused(409, undefined);
  records.patch(shift.id, { entries }, now);
  effects.changed(shift.id, "shift.update");
  return { kind: "done" };
}
