import type { Client } from "../../../generated/provider/client.ts";
import type { Assignment } from "../../../generated/provider/types.ts";
import { isAssignment, isProviderCandidateId } from "../../../generated/provider/validators.js";
import { isStorable } from "../../contract/storable-text.ts";
import {
  type Answer,
  answerOf,
  type Failure,
  type Refused,
  read,
  refused,
  type Unavailable,
} from "./answer.ts";
import { type Call, init, type ProviderParts } from "./parts.ts";

/** A candidate on a shift, in the provider's ids. */
export interface Seat {
  shiftId: string;
  candidateId: string;
}

/** `unproven`: known only from a 404 without the contract's code, which a gateway without a route sends too. */
type Unassigned = { kind: "unassigned"; unproven?: true; unknownPerson?: true };

/** Assigns and unassigns candidates (contract 4.2, both forms). */
export function assignmentCalls(client: Client, parts: ProviderParts) {
  const options = (path: Seat, call: Call) => ({ params: { path }, ...init(call) });

  async function assign(seat: Seat, call: Call): Promise<{ kind: "assigned" } | Failure> {
    const answer = await answerOf(client.assignCandidate(options(seat, call)));
    if (answer.kind !== "answer") return answer;
    if (!answer.ok) return refused(answer);
    if (answer.status === 204) return { kind: "assigned" };
    if (saysNo(answer)) return { ...refused(answer), code: "assignment_not_successful" };
    const body = read("assignment", answer, isAssignment);
    if ("kind" in body) return body;
    if (!isFor(body.value, seat)) return ofAnother(answer, body.value, seat);
    parts.onSeen({ acknowledgement: isDetailed(body.value) ? "full" : "minimal" });
    return { kind: "assigned" };
  }

  /**
   * Sends `PUT /unassign/` first and on 404 or 405 `DELETE /assign/`, and remembers which one worked. "Was not assigned" counts as
   * success. A single 404 of the PUT is ambiguous: an absent route, or no assignment. The DELETE resolves it.
   */
  async function unassign(seat: Seat, call: Call): Promise<Unassigned | Failure> {
    const forms = { put: client.unassignCandidate, delete: client.deleteAssignment };
    const first = parts.seen.unassign === "delete" ? "delete" : "put";
    const second = first === "put" ? "delete" : "put";
    const one = await answerOf(forms[first](options(seat, call)));
    if (one.kind !== "answer") return one;
    if (!isNotOffered(one)) return conclude(one, first);
    const other = await answerOf(forms[second](options(seat, call)));
    if (other.kind !== "answer") return other;
    const isUnproven = isBare(one) && isBare(other);
    const isUnknown = [one, other].some((answer) => refused(answer).code === "candidate_not_found");
    const unassigned: Unassigned = {
      kind: "unassigned",
      ...(isUnproven && { unproven: true }),
      ...(isUnknown && { unknownPerson: true }),
    };
    if (other.status === 405) return one.status === 404 ? unassigned : refused(other);
    if (other.status === 404 || other.status === 410) return unassigned;
    return conclude(other, second);
  }

  function conclude(answer: Answer, form: "put" | "delete"): { kind: "unassigned" } | Refused | Unavailable {
    if (!answer.ok) return answer.status === 410 ? { kind: "unassigned" } : refused(answer);
    if (saysNo(answer)) return { ...refused(answer), code: "unassignment_not_successful" };
    parts.onSeen({ unassign: form });
    return { kind: "unassigned" };
  }

  return { assign, unassign };
}

const isNotOffered = ({ status }: Answer) => status === 404 || status === 405;

/** Returns whether it is a 404 or 405 without the contract's code. */
const isBare = (answer: Answer) => isNotOffered(answer) && refused(answer).code === undefined;

const saysNo = ({ body }: Answer) => (body as { success?: unknown } | undefined)?.success === false;

const isDetailed = (body: Assignment) =>
  body.shiftId !== undefined || body.candidateId !== undefined || body.assignedAt !== undefined;

/** decisions, "people whom the provider merges": the one who is on the right shift may be the person, whose records the provider has merged. */
function ofAnother(answer: Answer, { shiftId, candidateId }: Assignment, seat: Seat): Refused {
  const isHere = isSame(shiftId ?? seat.shiftId, seat.shiftId);
  const isKnown = isHere && candidateId !== undefined && isUsable(candidateId);
  const other = isKnown ? { assignedAs: candidateId } : {};
  return { ...refused(answer), code: "assignment_of_another", ...other };
}

/** The schema of an acknowledgement allows any text: an id that is kept must be one of a candidate. */
const isUsable = (id: string) => isProviderCandidateId(id) && isStorable(id);

/** Compares UUIDs without regard to case (RFC 9562). */
const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** decisions, "assign response": ids are optional but, if there, they must be the ones asked for. */
function isFor(body: Assignment, { shiftId, candidateId }: Seat): boolean {
  return isSame(body.shiftId ?? shiftId, shiftId) && isSame(body.candidateId ?? candidateId, candidateId);
}
