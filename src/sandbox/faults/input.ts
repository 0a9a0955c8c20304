import { randomUUID } from "node:crypto";
import type { CompleteCandidate } from "../../../generated/provider/types.ts";
import { isUuid } from "../../contract/uuid.ts";
import { shiftBody } from "../shift-body.ts";
import { isEntry } from "./entries.ts";
import { type Answer, type Call, empty, type Faults, isRefusal, json, problemAnswer } from "./fault.ts";
import { WITH_REQUEST_BODY, WITH_SHIFT_ID } from "./operations.ts";
import { organisationOf } from "./tenant.ts";

/** Faults in the handling of invalid input: it is accepted, or refused incorrectly. */
export const inputFaults = {
  "unknown-id-accepted": {
    summary: "an unknown shift id is accepted",
    operations: WITH_SHIFT_ID,
    rewrite: (answer, call) => (isUnknown(answer, "shift") ? successOf(call) : answer),
  },
  "unknown-candidate-assigned": {
    summary: "an unknown candidate is assigned",
    operations: ["assignCandidate"],
    rewrite: (answer, call) => (isUnknown(answer, "candidate") ? successOf(call) : answer),
  },
  "unknown-id-invalid": {
    summary: "400 to an unknown id",
    operations: WITH_SHIFT_ID,
    rewrite: (answer) => (isUnknown(answer) ? problemAnswer("validation_failed") : answer),
  },
  "unknown-id-500": {
    summary: "500 to an unknown id",
    operations: WITH_SHIFT_ID,
    rewrite: (answer) => (isUnknown(answer) ? problemAnswer("internal_error") : answer),
  },
  "malformed-id-accepted": {
    summary: "a malformed id is accepted",
    operations: WITH_SHIFT_ID,
    rewrite: (answer, call) => (isMalformed(call) && isUnknown(answer) ? successOf(call) : answer),
  },
  "malformed-id-500": {
    summary: "500 to an id that is not a UUID",
    operations: WITH_SHIFT_ID,
    rewrite: (answer, call) =>
      isRefusal(answer) && answer.status !== 401 && isMalformed(call)
        ? problemAnswer("internal_error")
        : answer,
  },
  "long-id-500": {
    summary: "500 to an id of more than 255 characters",
    operations: WITH_SHIFT_ID,
    rewrite: (answer, { path }) =>
      isRefusal(answer) && answer.status !== 401 && Object.values(path).some(({ length }) => length > 255)
        ? problemAnswer("internal_error")
        : answer,
  },
  "quote-in-id-500": {
    summary: "500 to an id with an apostrophe, as from a concatenated query",
    operations: WITH_SHIFT_ID,
    rewrite: (answer, { path }) =>
      isUnknown(answer) && Object.values(path).some((id) => id.includes("'"))
        ? problemAnswer("internal_error")
        : answer,
  },
  "long-name-500": {
    summary: "500 to a search for a long name",
    operations: ["findCandidates"],
    rewrite: (answer, { request }) =>
      String(request.query.name ?? "").length > 100 ? problemAnswer("internal_error") : answer,
  },
  "malformed-json-accepted": {
    summary: "a body that is not JSON is accepted",
    operations: WITH_REQUEST_BODY,
    rewrite: (answer, call) => (codeOf(answer) === "malformed_json" ? successOf(call) : answer),
  },
  "malformed-json-500": {
    summary: "500 to a body that is not JSON",
    operations: WITH_REQUEST_BODY,
    rewrite: (answer) => (codeOf(answer) === "malformed_json" ? problemAnswer("internal_error") : answer),
  },
  "invalid-body-500": {
    summary: "500 to an invalid body",
    operations: WITH_REQUEST_BODY,
    rewrite: (answer) =>
      codeOf(answer) === "validation_failed" && pointersOf(answer).some(isInBody)
        ? problemAnswer("internal_error")
        : answer,
  },
  "invalid-candidate-accepted": {
    summary: "any body is accepted as a candidate",
    operations: ["createCandidate"],
    rewrite: (answer, call) => acceptIf(answer, call, (pointers) => pointers.length > 0),
  },
  "nameless-candidate-accepted": {
    summary: "a candidate without a name is accepted",
    operations: ["createCandidate"],
    rewrite: (answer, call) =>
      acceptIf(answer, call, (pointers) => pointers.every((each) => /^\/(first|last)Name$/.test(each))),
  },
  "contactless-candidate-accepted": {
    summary: "a candidate without e-mail or phone is accepted",
    operations: ["createCandidate"],
    rewrite: (answer, call) =>
      acceptIf(answer, call, (pointers) => pointers.every((each) => /^\/(email|phone)$/.test(each))),
  },
  "number-unchecked": {
    summary: "a personal number with a wrong date or check digit is accepted",
    operations: ["createCandidate"],
    rewrite: (answer, call) =>
      answer.status === 422
        ? acceptIf(answer, call, (pointers) => pointers.includes("/personalNumber"))
        : answer,
  },
  "hire-details-500": {
    summary: "500 to an invalid value inside the details of a hire",
    operations: ["createCandidate"],
    rewrite: (answer) => (pointersOf(answer).some(isInDetails) ? problemAnswer("internal_error") : answer),
  },
  "invalid-update-accepted": {
    summary: "an update with an invalid body is acknowledged",
    operations: ["updateShift"],
    rewrite: (answer, call) => acceptIf(answer, call, (pointers) => pointers.length > 0),
  },
  "empty-update-accepted": {
    summary: "an update without a body is acknowledged",
    operations: ["updateShift"],
    rewrite: (answer, call) => acceptIf(answer, call, (pointers) => pointers.every((each) => each === "")),
  },
} as const satisfies Faults;

/** Returns the code of a problem document, because a status alone is ambiguous. */
function codeOf({ body }: Answer): unknown {
  return isEntry(body) ? body.code : undefined;
}

function isUnknown(answer: Answer, what?: "shift" | "candidate"): boolean {
  const codes = what ? [`${what}_not_found`] : ["shift_not_found", "candidate_not_found"];
  return answer.status === 404 && codes.some((code) => code === codeOf(answer));
}

const isMalformed = ({ path }: Call): boolean => Object.values(path).some((id) => !isUuid(id));

function pointersOf({ body }: Answer): string[] {
  const errors = isEntry(body) && Array.isArray(body.errors) ? body.errors : [];
  return errors.filter(isEntry).map(({ pointer }) => String(pointer));
}

const isInDetails = (pointer: string): boolean => /^\/(emergencyContact|bankDetails|documents)/.test(pointer);

/** Whether a pointer is into the body: pointers into other parts start with a fragment sign. */
const isInBody = (pointer: string): boolean => !pointer.startsWith("#");

function acceptIf(answer: Answer, call: Call, accepts: (pointers: readonly string[]) => boolean): Answer {
  const isAboutBody = answer.status === 400 || answer.status === 422;
  const pointers = pointersOf(answer).filter(isInBody);
  return isAboutBody && pointers.length > 0 && accepts(pointers) ? successOf(call) : answer;
}

/** Returns the response of a provider that does not validate the call. */
function successOf(call: Call): Answer {
  switch (call.operationId) {
    case "assignCandidate":
    case "unassignCandidate":
      return json(200, { success: true });
    case "createCandidate":
      return json(201, someCandidate(call));
    case "getShift":
      return readOf(someShift(call));
    default:
      return empty(204);
  }
}

/** Returns 404 if the provider has no shift at all. */
function readOf(shift: unknown): Answer {
  return shift === undefined ? problemAnswer("shift_not_found") : json(200, shift);
}

function someShift(call: Call): unknown {
  const organisation = organisationOf(call);
  const [shift] = organisation?.shifts.values() ?? [];
  return organisation && shift
    ? shiftBody({ ...shift, id: call.path.shiftId ?? shift.id }, organisation, call.forms)
    : undefined;
}

function someCandidate(call: Call): CompleteCandidate | undefined {
  const [candidate] = organisationOf(call)?.candidates.values() ?? [];
  if (!candidate) return undefined;
  const { personalNumber, firstName, lastName, email, phone } = candidate;
  return { id: randomUUID(), personalNumber, firstName, lastName, email, phone };
}
