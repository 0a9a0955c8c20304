import type { AssignedCandidate, Shift as ShiftBody } from "../../../generated/provider/types.ts";
import { readShift, VARIANT_FIELDS, variantOf } from "../../contract/shift.ts";
import { readTimestamp } from "../../contract/timestamp.ts";
import { isUuid } from "../../contract/uuid.ts";
import type { Reply } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { shown } from "./field-faults.ts";

/** Judges what no schema can express: times, ids, positions and assigned candidates. */
export function judgeShift(body: ShiftBody, exchange: Reply): Found[] {
  return [
    ...judgeId(body, exchange),
    ...judgeShiftTimes(body, exchange),
    ...judgePositions(body, exchange),
    ...judgeBreak(body, exchange),
    ...judgeAssigned(body, exchange),
  ];
}

function judgeId({ id }: ShiftBody, exchange: Reply): Found[] {
  const asked = exchange.probe.path?.shiftId;
  if (asked === undefined || asked.toLowerCase() === id.toLowerCase()) return shiftIdForm(id, exchange);
  const expected = "the requested shift";
  const actual = `a shift with another id: received ${shown(id, "id")}`;
  return [found("id_mismatch", { exchange, expected, actual, cause: expected })];
}

/** Warns of an id that is not a UUID. Variant B allows any text. All shifts give one finding. */
function shiftIdForm(id: string, exchange: Reply): Found[] {
  if (isUuid(id)) return [];
  const actual = `id: received ${shown(id, "id")}`;
  const details = { exchange, operation: "getShift", cause: "form" } as const;
  return [found("shift_id_not_uuid", { ...details, expected: "a UUID", actual })];
}

/** Reports times without an offset as an error (decisions, "time without offset"). All fields give one finding. */
export function judgeTimes(times: Readonly<Record<string, unknown>>, exchange: Reply): Found[] {
  const texts = Object.entries(times).filter(
    (entry): entry is [string, string] => typeof entry[1] === "string",
  );
  const read = texts.map(([field, text]) => ({ field, text, time: readTimestamp(text, "UTC") }));
  const invalid = read.filter(({ time }) => !time);
  const local = read.filter(({ time }) => time?.assumedZone);
  return [
    ...timesFound("time_invalid", invalid, exchange),
    ...timesFound("time_without_offset", local, exchange),
  ];
}

function timesFound(
  code: "time_invalid" | "time_without_offset",
  times: readonly { field: string; text: string }[],
  exchange: Reply,
): Found[] {
  const [first] = times;
  if (!first) return [];
  const expected = `${times.map(({ field }) => field).join(" and ")} in ISO 8601 with an offset`;
  const actual = `${first.field}: received ${shown(first.text, first.field)}`;
  return [found(code, { exchange, expected, actual, cause: code })];
}

function judgeShiftTimes(body: ShiftBody, exchange: Reply): Found[] {
  const { startTime, endTime, createdAt, updatedAt } = body;
  const times = judgeTimes({ startTime, endTime, createdAt, updatedAt }, exchange);
  return [
    ...times,
    ...judgeUnset({ createdAt, updatedAt }, exchange),
    ...judgeFault(body, readShift(body, "UTC").unusable?.fault, exchange),
  ];
}

/** Earlier times are default values: no system has older shifts. */
const NEVER = Date.parse("1980-01-01T00:00:00Z");

function judgeUnset(times: Readonly<Record<string, unknown>>, exchange: Reply): Found[] {
  const unset = Object.entries(times).filter(
    ([, time]) => typeof time === "string" && Date.parse(time) < NEVER,
  );
  return unset.map(([field, time]) => {
    const actual = `${field}: received ${shown(time, field)}`;
    return found("time_not_set", {
      exchange,
      cause: field,
      expected: `the actual ${field}, or none`,
      actual,
    });
  });
}

const MINUTES_A_DAY = 1_440;

function judgeBreak({ breakMinutes }: ShiftBody, exchange: Reply): Found[] {
  if (typeof breakMinutes !== "number" || breakMinutes <= MINUTES_A_DAY) return [];
  const expected = "a break in minutes, within the shift";
  return [found("break_too_long", { exchange, expected, actual: `breakMinutes: received ${breakMinutes}` })];
}

/** Reports times that the platform cannot use. Unreadable times are reported by `judgeTimes`. */
function judgeFault(body: ShiftBody, fault: string | undefined, exchange: Reply): Found[] {
  if (fault !== "end_not_after_start" && fault !== "time_out_of_range" && fault !== "too_long") return [];
  const [start, end] = [body.startTime, body.endTime].map((time) => shown(time, "startTime"));
  const details = { exchange, actual: `startTime ${start}, endTime ${end}`, cause: fault };
  if (fault === "end_not_after_start")
    return [found(fault, { ...details, expected: "an end after the start" })];
  const expected =
    fault === "too_long"
      ? "an end at most 36 hours after the start"
      : "times between the years 1 and 9999 in UTC";
  return [found("time_invalid", { ...details, expected })];
}

function judgePositions(body: ShiftBody, exchange: Reply): Found[] {
  const slots = body.slots ?? undefined;
  const positions = body.numberOfPositions ?? undefined;
  if (slots === undefined && positions === undefined) {
    const expected = "slots (variant A) or numberOfPositions (variant B)";
    return [found("positions_missing", { exchange, expected, actual: "neither is present" })];
  }
  if (slots === undefined || positions === undefined || slots === positions) return [];
  const expected = "one number of positions";
  const actual = `slots ${slots}, numberOfPositions ${positions}`;
  return [found("positions_differ", { exchange, expected, actual, cause: expected })];
}

const idOf = ({ candidateId, id }: AssignedCandidate) => candidateId ?? id;

function judgeAssigned(body: ShiftBody, exchange: Reply): Found[] {
  const { assignedCandidates } = body;
  const ids = assignedCandidates.map(idOf);
  const expected = "each assigned candidate once";
  const twice = new Set(ids).size < ids.length;
  const actual = "an id is repeated in assignedCandidates";
  return [
    ...(twice ? [found("duplicate_id", { exchange, expected, actual })] : []),
    ...judgeEntries(body, exchange),
  ];
}

/** Judges entries: `candidateId` in variant A, `id` and `personalNumber` in B, either in a shift with fields of both. */
function judgeEntries(body: ShiftBody, exchange: Reply): Found[] {
  const forms = formsOf(body);
  const wrong = body.assignedCandidates.filter(
    (entry) => !forms.some((form) => FIELDS[form].every((field) => (entry[field] ?? null) !== null)),
  );
  if (wrong.length === 0) return [];
  const texts = forms.map((form) => `${FIELDS[form].join(" and ")} (variant ${form.toUpperCase()})`);
  const expected = `${texts.join(", or ")} in each entry of assignedCandidates`;
  return [found("field_missing", { exchange, expected, actual: "an entry without them" })];
}

const FIELDS = { a: ["candidateId"], b: ["id", "personalNumber"] } as const;

function formsOf(body: ShiftBody): ("a" | "b")[] {
  if (variantOf(body) === "a") return ["a"];
  return VARIANT_FIELDS.a.some((field) => field in body) ? ["a", "b"] : ["b"];
}
