import type {
  Assignment,
  Candidate,
  CandidateRegistry,
  RegistryEntry,
} from "../../../generated/provider/types.ts";
import { parsePersonalNumber } from "../../contract/personal-number.ts";
import type { Reply } from "../exchange.ts";
import { type Found, found } from "../finding.ts";
import { pathOf, shown } from "./field-faults.ts";
import { judgeTimes } from "./shift-body.ts";

/** decisions, "assign response": ids that are there must be the ones asked for. */
export function judgeAssignment(body: Assignment, exchange: Reply): Found[] {
  const asked = exchange.probe.path ?? {};
  const others = (["shiftId", "candidateId"] as const).filter((name) => differs(body[name], asked[name]));
  const expected = "the ids that were asked for";
  const actual = others.map((name) => `${name}: received ${shown(body[name], name)}`).join("; ");
  const isOther =
    others.length > 0 ? [found("id_mismatch", { exchange, expected, actual, cause: expected })] : [];
  return [...isOther, ...judgeTimes({ assignedAt: body.assignedAt }, exchange)];
}

const differs = (told: string | undefined, asked: string | undefined) =>
  told !== undefined && asked !== undefined && told.toLowerCase() !== asked.toLowerCase();

interface Entry {
  id: string;
}

/** Ids of a list stand once each. */
export function judgeList<E extends Entry>(judgeEntry: (entry: E, exchange: Reply) => Found[] = () => []) {
  return (body: readonly E[], exchange: Reply): Found[] => [
    ...duplicates(body, exchange),
    ...body.flatMap((entry) => judgeEntry(entry, exchange)),
  ];
}

function duplicates(entries: readonly Entry[], exchange: Reply): Found[] {
  const twice = entries.find(({ id }, index) => entries.findIndex((each) => each.id === id) < index);
  if (!twice) return [];
  const expected = "each entry once";
  const actual = `an id stands there more than once: received ${shown(twice.id, "id")}`;
  return [found("duplicate_id", { exchange, expected, actual, cause: expected })];
}

export function judgeCandidate({ personalNumber }: Candidate, exchange: Reply): Found[] {
  return judgeNumber(personalNumber, exchange);
}

const FORM = /^\d{8}-?\d{4}$/;

/** The form is the contract's; whether date and check digit can be right is worth a warning. */
function judgeNumber(text: string | null | undefined, exchange: Reply): Found[] {
  if (text === undefined || text === null) return [];
  const expected = "YYYYMMDDXXXX or YYYYMMDD-XXXX";
  if (!FORM.test(text)) {
    const actual = "a text of another form in personalNumber";
    return [found("personal_number_wrong", { exchange, expected, actual })];
  }
  if (parsePersonalNumber(text) !== undefined) return [];
  const actual = "a personalNumber that cannot exist";
  return [
    found("personal_number_invalid", { exchange, expected: "a date and a check digit that fit", actual }),
  ];
}

export function judgeRegistry({ candidates }: CandidateRegistry, exchange: Reply): Found[] {
  return [
    ...duplicates(candidates, exchange),
    ...candidates.flatMap(({ personalNumber }) => judgeNumber(personalNumber, exchange)),
    ...judgeDates(candidates, exchange),
    ...judgeListed(candidates, exchange),
  ];
}

/** Fields of contract 2.5 that a provider has for every employee. */
const EVERYBODYS = ["employeeNumber", "firstName", "lastName", "phone", "email", "workHistory"] as const;
/** The rest of 2.5, which a provider may keep to itself. */
const PERSONAL = ["address", "postCode", "city", "countryCode", "emergencyContact", "bankDetails"] as const;
const LISTED = [...EVERYBODYS, ...PERSONAL];

/**
 * A field that some entry lacks may not be known of that person. One that no entry has, not even one that has all the others, is not
 * sent at all. Null is sent.
 */
function judgeListed(candidates: CandidateRegistry["candidates"], exchange: Reply): Found[] {
  const isLacking = (entry: RegistryEntry, name: (typeof LISTED)[number]) => entry[name] === undefined;
  const isNotSent = (name: (typeof LISTED)[number]) =>
    candidates.every((entry) => isLacking(entry, name)) &&
    candidates.some((entry) => LISTED.every((each) => each === name || !isLacking(entry, each)));
  const [name] = LISTED.filter(isNotSent);
  if (name === undefined) return [];
  const code = EVERYBODYS.some((each) => each === name) ? "field_missing" : "field_recommended";
  const expected = "every field that the contract lists";
  return [
    found(code, {
      exchange,
      expected,
      actual: `${pathOf(`/candidates/*/${name}`)} is missing in every entry`,
    }),
  ];
}

function judgeDates(candidates: CandidateRegistry["candidates"], exchange: Reply): Found[] {
  const dates = candidates.flatMap(({ workHistory }) => workHistory ?? []).map(({ date }) => date);
  const wrong = dates.find((date) => (date ?? null) !== null && !isDate(String(date)));
  if (wrong === undefined) return [];
  const expected = "candidates[*].workHistory[*].date as YYYY-MM-DD";
  const actual = `received ${shown(wrong, "date")}`;
  return [
    found("time_invalid", {
      exchange,
      expected,
      actual,
      cause: expected,
      fix: "Send the date alone, like 2027-03-27.",
    }),
  ];
}

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text));
}
