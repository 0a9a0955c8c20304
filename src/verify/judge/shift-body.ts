import type { AssignedCandidate, Shift as ShiftBody } from "../../../generated/provider/types.ts";
import { readShift, variantOf } from "../../contract/shift.ts";
import { readTimestamp } from "../../contract/timestamp.ts";
import { type Found, found } from "../finding.ts";
import type { Reply } from "../target.ts";

/** What no schema says of a shift: times, ids, positions, and who is assigned. */
export function judgeShift(body: ShiftBody, exchange: Reply): Found[] {
  return [
    ...judgeId(body, exchange),
    ...judgeTimes(body, exchange),
    ...judgePositions(body, exchange),
    ...judgeAssigned(body, exchange),
  ];
}

function judgeId({ id }: ShiftBody, exchange: Reply): Found[] {
  const asked = exchange.probe.path?.shiftId;
  if (asked === undefined || asked.toLowerCase() === id.toLowerCase()) return [];
  const actual = "a shift with another id";
  return [found("id_mismatch", { exchange, expected: "the shift that was asked for", actual })];
}

/** Times that are there have an offset; DECISIONS, "time without offset": the kit reports an error. */
export function judgeTime(field: string, text: unknown, exchange: Reply): Found[] {
  if (typeof text !== "string") return [];
  const time = readTimestamp(text, "UTC");
  const expected = `${field} in ISO 8601 with an offset`;
  if (!time)
    return [found("time_invalid", { exchange, expected, actual: `${field} is no ISO 8601 timestamp` })];
  if (!time.assumedZone) return [];
  return [found("time_without_offset", { exchange, expected, actual: `${field} has no offset` })];
}

function judgeTimes(body: ShiftBody, exchange: Reply): Found[] {
  const fields = ["startTime", "endTime", "createdAt", "updatedAt"] as const;
  const times = fields.flatMap((field) => judgeTime(field, body[field], exchange));
  return [...times, ...judgeFault(readShift(body, "UTC").unusable?.fault, exchange)];
}

/** What the platform could not take as a job. Times that cannot be read at all have been judged. */
function judgeFault(fault: string | undefined, exchange: Reply): Found[] {
  if (fault === "end_not_after_start") {
    const actual = "endTime is not after startTime";
    return [found("end_not_after_start", { exchange, expected: "an end after the start", actual })];
  }
  if (fault !== "time_out_of_range") return [];
  const actual = "a time before the year 0001 or after 9999 in UTC";
  return [found("time_invalid", { exchange, expected: "times that a database can hold", actual })];
}

function judgePositions(body: ShiftBody, exchange: Reply): Found[] {
  const slots = body.slots ?? undefined;
  const positions = body.numberOfPositions ?? undefined;
  if (slots === undefined && positions === undefined) {
    const expected = "slots (variant A) or numberOfPositions (variant B)";
    return [found("positions_missing", { exchange, expected, actual: "neither is there" })];
  }
  if (slots === undefined || positions === undefined || slots === positions) return [];
  const expected = "one number of positions";
  return [found("positions_differ", { exchange, expected, actual: "slots and numberOfPositions differ" })];
}

const idOf = ({ candidateId, id }: AssignedCandidate) => candidateId ?? id;

function judgeAssigned(body: ShiftBody, exchange: Reply): Found[] {
  const { assignedCandidates } = body;
  const ids = assignedCandidates.map(idOf);
  const expected = "each assigned candidate once";
  const twice = new Set(ids).size < ids.length;
  const actual = "an id stands in assignedCandidates more than once";
  return [
    ...(twice ? [found("duplicate_id", { exchange, expected, actual })] : []),
    ...judgeEntries(body, exchange),
  ];
}

/** Variant A gives `candidateId`, variant B `id` and `personalNumber`; a shift that holds fields of both may hold either. */
function judgeEntries(body: ShiftBody, exchange: Reply): Found[] {
  const forms = formsOf(body);
  const wrong = body.assignedCandidates.filter(
    (entry) => !forms.some((form) => FIELDS[form].every((field) => (entry[field] ?? null) !== null)),
  );
  if (wrong.length === 0) return [];
  const texts = forms.map((form) => `${FIELDS[form].join(" and ")} (variant ${form.toUpperCase()})`);
  const expected = `${texts.join(", or ")} in each entry of assignedCandidates`;
  return [found("field_missing", { exchange, expected, actual: "an entry without" })];
}

const FIELDS = { a: ["candidateId"], b: ["id", "personalNumber"] } as const;
const ONLY_IN_A = ["outletName", "roleName", "slots"];

function formsOf(body: ShiftBody): ("a" | "b")[] {
  if (variantOf(body) === "a") return ["a"];
  return ONLY_IN_A.some((field) => field in body) ? ["a", "b"] : ["b"];
}
