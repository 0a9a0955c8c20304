import type { Handlers } from "../../../generated/provider/server.ts";
import type {
  CandidateCreate,
  CompleteCandidate,
  HireDetails,
  RegistryEntry,
} from "../../../generated/provider/types.ts";
import { type PersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import { problem } from "../../contract/problem.ts";
import type { Context } from "../context.ts";
import type { Organisation, StoredCandidate } from "../organisation.ts";
import { type Forms, numberBody } from "../shift-body.ts";

type CandidateHandlers = Pick<
  Handlers<Organisation>,
  "findCandidates" | "createCandidate" | "getCandidateRegistry"
>;

/** The document's default for `limit`. */
const PAGE = 200;

/** Finds, creates and lists candidates (contract 4.2). */
export function candidateHandlers({ forms, newId }: Context): CandidateHandlers {
  return {
    findCandidates: ({ query }, { candidates }) => {
      const found = [...candidates.values()].filter((candidate) => matches(candidate, query, forms));
      if (found.length === 0 && forms.notFound === "404") throw problem("candidate_not_found");
      return { status: 200, body: found.map((candidate) => candidateBody(candidate, forms)) };
    },
    createCandidate: ({ body }, { candidates }) => {
      const personalNumber = validNumber(body.personalNumber);
      if ([...candidates.values()].some((each) => each.personalNumber === personalNumber)) {
        throw problem("candidate_exists");
      }
      const candidate = { id: newId(), ...identityOf(body), personalNumber, ...hireOf(body) };
      candidates.set(candidate.id, candidate);
      return { status: forms.createAnswer, body: candidateBody(candidate, forms) };
    },
    getCandidateRegistry: ({ query }, { candidates }) => {
      if (!forms.registry) throw problem("not_found", { detail: "The registry is not offered." });
      const { page, nextCursor } = pageOf([...candidates.values()], query);
      const entries = page.map((candidate) => registryEntry(candidate, forms));
      return { status: 200, body: { candidates: entries, ...(nextCursor && { nextCursor }) } };
    },
  };
}

interface Wanted {
  personalNumber?: string;
  name?: string;
}

/** Whether the candidate matches all given parameters. */
function matches(candidate: StoredCandidate, { personalNumber, name }: Wanted, forms: Forms): boolean {
  const { firstName, lastName } = candidate;
  const isNamed = name === undefined || contains(`${firstName} ${lastName}`, name);
  return (
    isNamed && (personalNumber === undefined || isNumber(candidate.personalNumber, personalNumber, forms))
  );
}

function isNumber(number: PersonalNumber, text: string, forms: Forms): boolean {
  if (forms.personalNumbers === "hyphenated") return numberBody(number, forms) === text;
  return parsePersonalNumber(text) === number;
}

const contains = (text: string, part: string): boolean => text.toLowerCase().includes(part.toLowerCase());

/** Validates the check digit and the date, which the schema cannot express. */
function validNumber(text: string): PersonalNumber {
  const number = parsePersonalNumber(text);
  if (number !== undefined) return number;
  const errors = [{ pointer: "/personalNumber", message: "must be a personal or coordination number" }];
  throw problem("unprocessable", { detail: "The candidate is not valid.", errors });
}

/** Returns only the documented fields: unknown fields are not stored. */
function identityOf({ firstName, lastName, email, phone }: CandidateCreate) {
  return { firstName, lastName, email, phone };
}

function hireOf(body: CandidateCreate): HireDetails | undefined {
  if (body.address === undefined) return undefined;
  const { address, postCode, city, countryCode, emergencyContact, bankDetails, documents } = body;
  return { address, postCode, city, countryCode, emergencyContact, bankDetails, documents };
}

function candidateBody(candidate: StoredCandidate, forms: Forms): CompleteCandidate {
  const { id, firstName, lastName, email, phone } = candidate;
  return {
    id,
    personalNumber: numberBody(candidate.personalNumber, forms),
    firstName,
    lastName,
    email,
    phone,
  };
}

/** Omits the documents of a hire, which are not part of the registry (contract 2.5). */
function registryEntry(
  { documents: _, formerIds: __, ...candidate }: StoredCandidate,
  forms: Forms,
): RegistryEntry {
  return { ...candidate, personalNumber: numberBody(candidate.personalNumber, forms) };
}

/** Returns one page. The cursor is the id of the previous page's last entry: candidates are never removed. */
function pageOf(
  all: readonly StoredCandidate[],
  { limit = PAGE, cursor }: { limit?: number; cursor?: string },
) {
  const start = cursor === undefined ? 0 : all.findIndex(({ id }) => id === cursor) + 1;
  if (cursor !== undefined && start === 0) {
    const errors = [{ pointer: "#/query/cursor", message: "must be the nextCursor of a response" }];
    throw problem("validation_failed", { detail: "The request is not valid.", errors });
  }
  const page = all.slice(start, start + limit);
  const nextCursor = start + limit < all.length ? page.at(-1)?.id : undefined;
  return { page, nextCursor };
}
