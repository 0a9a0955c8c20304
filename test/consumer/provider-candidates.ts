import { MatchersV3 } from "@pact-foundation/pact";
import { parsePersonalNumber } from "../../src/contract/personal-number.ts";
import { CALL, type Exchange, type Row } from "../harness/pact/exchange.ts";
import { anId, aText, EXAMPLES, oneOf, stated } from "../harness/pact/matching.ts";

const { candidateId, personalNumber } = EXAMPLES;
const { eachLike, boolean, regex } = MatchersV3;

const KNOWN = { state: "a candidate exists" };
const UNKNOWN = { state: "no such candidate" };

const ADA = {
  personalNumber,
  firstName: "Ada",
  lastName: "Strand",
  email: "ada.strand@example.com",
  phone: "+46701740605",
};
const HIRE = {
  address: "Storgatan 1",
  postCode: "11122",
  city: "Stockholm",
  countryCode: "se",
  emergencyContact: { name: "Bo Strand", phone: "+46701740606", relationship: "sibling" },
  bankDetails: { clearingNumber: "8327", accountNumber: "9044226" },
};
const DOCUMENTS = {
  citizenship: "SE",
  workPermitRequired: false,
  workPermitExpiry: null,
  passportVerified: true,
};

/** Matches each text as any text. */
function texts(fields: object): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]) => [
    name,
    typeof value === "string" ? aText(value) : texts(value),
  ]);
  return Object.fromEntries(entries);
}

const MINIMAL = { ...texts(ADA), personalNumber: stated("{personalNumber}") };
const FULL = {
  ...MINIMAL,
  ...texts(HIRE),
  countryCode: regex("^[a-z]{2}$", HIRE.countryCode),
  documents: {
    citizenship: regex("^[A-Za-z]{2,3}$", DOCUMENTS.citizenship),
    workPermitRequired: boolean(DOCUMENTS.workPermitRequired),
    workPermitExpiry: null,
    passportVerified: boolean(DOCUMENTS.passportVerified),
  },
};

/** The platform needs the id; it reads the other members of a candidate if they are present (contract 2.3). */
const CANDIDATE = { id: anId("candidateId") };

const lookUp: Omit<Exchange, "status"> = {
  does: "looks up a candidate under 12 digits",
  given: KNOWN,
  method: "GET",
  path: "/candidates",
  query: { personalNumber: stated("{personalNumber}") },
};
const lookUpHyphenated = {
  ...lookUp,
  does: "looks up a candidate under the hyphenated form",
  query: { personalNumber: stated("{hyphenatedNumber}") },
};
const create: Omit<Exchange, "status"> = {
  does: "creates a candidate to book",
  given: UNKNOWN,
  method: "POST",
  path: "/candidates",
  body: MINIMAL,
};

const find: Row["call"] = (client) => {
  const number = parsePersonalNumber(personalNumber);
  if (!number) throw new TypeError("not a personal number");
  return client.findCandidates(number, CALL);
};
const found = { kind: "found", candidates: [{ id: candidateId }] };
const foundByDigits = {
  ...lookUp,
  forms: { numbers: "digits" },
  status: 200,
  answer: eachLike(CANDIDATE),
} as const;

/** No candidate under either form. */
function noMatch(notFound: "empty" | "404"): Row {
  const none = { given: UNKNOWN, forms: { notFound }, status: notFound === "empty" ? 200 : 404 };
  const answer = notFound === "empty" ? { answer: [] } : {};
  return {
    calls: `findCandidates, no match, ${notFound}`,
    exchanges: [
      { ...lookUp, does: "looks up an unknown candidate under 12 digits", ...none, ...answer },
      {
        ...lookUpHyphenated,
        does: "looks up an unknown candidate under the hyphenated form",
        ...none,
        ...answer,
        forms: { notFound, hyphen: "read" },
      },
    ],
    call: find,
    gives: { kind: "found", candidates: [] },
  };
}

/** A provider with the hyphenated form finds the person at the second try. */
function secondTry(notFound: "empty" | "404"): Row {
  const noMatchYet = notFound === "empty" ? { status: 200, answer: [] } : { status: 404 };
  return {
    calls: `findCandidates, hyphenated, first ${notFound}`,
    exchanges: [
      { ...lookUp, forms: { numbers: "hyphenated", notFound }, ...noMatchYet },
      { ...lookUpHyphenated, forms: { numbers: "hyphenated" }, status: 200, answer: eachLike(CANDIDATE) },
    ],
    call: find,
    gives: found,
  };
}

export const candidateRows: readonly Row[] = [
  { calls: "findCandidates", exchanges: [foundByDigits], call: find, gives: found },
  secondTry("empty"),
  secondTry("404"),
  noMatch("empty"),
  noMatch("404"),
  {
    calls: "createCandidate, minimal",
    exchanges: [{ ...create, status: oneOf(201, 200), answer: CANDIDATE }],
    call: (client) => client.createCandidate(ADA, CALL),
    gives: { kind: "created", candidate: { id: candidateId } },
  },
  {
    calls: "createCandidate, full",
    exchanges: [
      {
        ...create,
        does: "creates a candidate to hire",
        body: FULL,
        status: oneOf(201, 200),
        answer: CANDIDATE,
      },
    ],
    call: (client) => client.createCandidate({ ...ADA, ...HIRE, documents: DOCUMENTS }, CALL),
    gives: { kind: "created", candidate: { id: candidateId } },
  },
  {
    calls: "createCandidate, there already",
    exchanges: [
      {
        ...create,
        does: "creates a candidate who is there already",
        given: KNOWN,
        status: oneOf(409, 200, 201),
      },
    ],
    call: (client) => client.createCandidate(ADA, CALL),
    gives: { kind: "exists" },
  },
];
