import type { Assignment, Candidate, CandidateRegistry } from "../../../generated/provider/types.ts";
import { looksLikePersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Reply } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { pathOf, shown } from "./field-faults.ts";
import { judgeTimes } from "./shift-body.ts";

/** Judges an acknowledgement: ids in it must be the requested ones (decisions, "assign response"). */
export function judgeAssignment(body: Assignment, exchange: Reply): Found[] {
  const asked = exchange.probe.path ?? {};
  const others = (["shiftId", "candidateId"] as const).filter((name) => differs(body[name], asked[name]));
  const expected = "the requested ids";
  const actual = others.map((name) => `${name}: received ${shown(body[name], name)}`).join("; ");
  const times = judgeTimes({ assignedAt: body.assignedAt }, exchange);
  if (others.length === 0) return times;
  return [found("id_mismatch", { exchange, expected, actual, cause: expected }), ...times];
}

const differs = (received: string | undefined, asked: string | undefined) =>
  received !== undefined && asked !== undefined && received.toLowerCase() !== asked.toLowerCase();

interface Entry {
  id: string;
}

/** Returns a judge for lists: each id must be unique. */
export function judgeList<E extends Entry>(judgeEntry: (entry: E, exchange: Reply) => Found[] = () => []) {
  return (body: readonly E[], exchange: Reply): Found[] => [
    ...duplicates(body, exchange),
    ...body.flatMap((entry) => judgeEntry(entry, exchange)),
  ];
}

function duplicates(entries: readonly Entry[], exchange: Reply): Found[] {
  const seen = new Set<string>();
  const twice = entries.find(({ id }) => seen.size === seen.add(id).size);
  if (!twice) return [];
  const expected = "each entry once";
  const actual = `a repeated id: received ${shown(twice.id, "id")}`;
  return [found("duplicate_id", { exchange, expected, actual, cause: expected })];
}

export function judgeCandidate({ personalNumber }: Candidate, exchange: Reply): Found[] {
  return judgeNumber(personalNumber, exchange);
}

/** Reports a number in a wrong format, and warns of an invalid date or check digit. */
function judgeNumber(text: string | null | undefined, exchange: Reply): Found[] {
  if (text === undefined || text === null) return [];
  const expected = "YYYYMMDDXXXX or YYYYMMDD-XXXX";
  if (!looksLikePersonalNumber(text)) {
    const actual = "a personalNumber in another format";
    return [found("personal_number_wrong", { exchange, expected, actual })];
  }
  if (parsePersonalNumber(text) !== undefined) return [];
  const actual = "an invalid personalNumber";
  return [found("personal_number_invalid", { exchange, expected: "a valid date and check digit", actual })];
}

export function judgeRegistry({ candidates }: CandidateRegistry, exchange: Reply): Found[] {
  return [
    ...duplicates(candidates, exchange),
    ...candidates.flatMap(({ personalNumber }) => judgeNumber(personalNumber, exchange)),
    ...judgeDates(candidates, exchange),
    ...judgeListed(candidates, exchange),
  ];
}

/** Fields of contract 2.5 that every employee has. */
const REQUIRED = ["employeeNumber", "firstName", "lastName", "phone", "email", "workHistory"] as const;
/** The other fields of 2.5, which a provider may keep private. */
const OPTIONAL = ["address", "postCode", "city", "countryCode", "emergencyContact", "bankDetails"] as const;
const LISTED = [...REQUIRED, ...OPTIONAL];

/**
 * Reports a field that no entry has, even if one entry has all other fields. A field that only some entries lack may be unknown for
 * these people. Null counts as present.
 */
function judgeListed(candidates: CandidateRegistry["candidates"], exchange: Reply): Found[] {
  const lacking = candidates.map((entry) => LISTED.filter((name) => entry[name] === undefined));
  const [name] = lacking.find(({ length }) => length === 1) ?? [];
  if (name === undefined || !lacking.every((names) => names.includes(name))) return [];
  const code = REQUIRED.some((each) => each === name) ? "field_missing" : "field_recommended";
  const actual = `${pathOf(`/candidates/*/${name}`)} is missing in every entry`;
  return [found(code, { exchange, expected: "every field that the contract lists", actual })];
}

function judgeDates(candidates: CandidateRegistry["candidates"], exchange: Reply): Found[] {
  const dates = candidates.flatMap(({ workHistory }) => workHistory ?? []).map(({ date }) => date);
  const wrong = dates.find((date) => (date ?? null) !== null && !isDate(String(date)));
  if (wrong === undefined) return [];
  const expected = "candidates[*].workHistory[*].date as YYYY-MM-DD";
  const actual = `received ${shown(wrong, "date")}`;
  const fix = "Send the date alone, like 2027-03-27.";
  return [found("time_invalid", { exchange, expected, actual, cause: expected, fix })];
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}
