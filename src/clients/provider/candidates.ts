import type { Client } from "../../../generated/provider/client.ts";
import type { Candidate, CandidateCreate } from "../../../generated/provider/types.ts";
import { isCandidate } from "../../../generated/provider/validators.js";
import {
  hyphenated,
  isSameNumber,
  type PersonalNumber,
  parsePersonalNumber,
} from "../../contract/personal-number.ts";
import { isStorable } from "../../contract/storable-text.ts";
import {
  answerOf,
  broken,
  type Failure,
  type ReadEntry,
  type Refused,
  read,
  readList,
  refused,
  unavailable,
} from "./answer.ts";
import { LONGEST_REGISTRY, ProviderHttpError } from "./http-error.ts";
import { type Call, init, type ProviderParts } from "./parts.ts";
import { type OpenPage, type RegistryPage, readPage } from "./registry-page.ts";

/** `unproven`: the person is missing according to a 404 without the contract's code, which a gateway without a route sends too. */
type LookUp = { kind: "found"; candidates: Candidate[]; unproven?: true } | Failure;

type RegistryOutcome<Page> = { kind: "page"; page: Page } | { kind: "absent" } | Failure;

type Creation = { kind: "created"; candidate: Candidate } | { kind: "exists" } | Failure;

/** Looks up, creates and imports candidates (contract 4.2). */
export function candidateCalls(client: Client, parts: ProviderParts) {
  async function lookUp(number: PersonalNumber, form: string, call: Call): Promise<LookUp> {
    const params = { query: { personalNumber: form } };
    const answer = await answerOf(client.findCandidates({ params, ...init(call) }));
    if (answer.kind !== "answer") return answer;
    if (answer.status === 404) parts.onSeen({ notFound: "404" });
    if (answer.status === 404) {
      const isProven = refused(answer).code !== undefined;
      return { kind: "found", candidates: [], ...(!isProven && { unproven: true }) };
    }
    if (!answer.ok) return refused(answer);
    const list = readList("list of candidates", answer, isCandidate);
    if ("kind" in list) return list;
    if (list.entries.length === 0) parts.onSeen({ notFound: "empty" });
    const entries = list.entries.map(storable);
    const unread = entries.flatMap(({ fault }, index) =>
      fault === undefined || isAnother((answer.body as unknown[])[index], number)
        ? []
        : { pointer: `/${index}${fault.pointer}`, message: fault.message },
    );
    if (unread.length > 0) return broken("list of candidates", unread);
    return { kind: "found", candidates: entries.flatMap(({ entry }) => entry ?? []) };
  }

  /**
   * Returns the candidates that the provider knows under the number, each once. Queries the 12 digits first and then the hyphenated form;
   * a provider that supports one form may refuse the other. A provider may ignore the query, so entries with another personal number are
   * left out; their contract violations do not matter.
   */
  async function findCandidates(number: PersonalNumber, call: Call): Promise<LookUp> {
    const refusals: Refused[] = [];
    let isProven = true;
    for (const form of [number, hyphenated(number)]) {
      const found = await lookUp(number, form, call);
      if (isFormRefused(found)) refusals.push(found);
      else if (found.kind !== "found") return found;
      else {
        const same = found.candidates.filter((candidate) => isThePerson(candidate, number));
        const byId = new Map(same.map((candidate) => [candidate.id, candidate]));
        if (byId.size > 0) return { kind: "found", candidates: [...byId.values()] };
        isProven &&= found.unproven === undefined;
      }
    }
    const [first, second] = refusals;
    if (first && second) return first;
    return { kind: "found", candidates: [], ...(!isProven && { unproven: true }) };
  }

  /**
   * `exists` (409): the person was created in between; look up again. If a provider refuses the number of 12 digits, the
   * hyphenated form is sent once. `unavailable` with a status of 2xx: someone was created, and the response does not say as whom.
   */
  async function createCandidate(payload: CandidateCreate, call: Call): Promise<Creation> {
    const created = await create(payload, call);
    const number = parsePersonalNumber(payload.personalNumber);
    if (!isFormRefused(created) || number === undefined) return created;
    const again = await create({ ...payload, personalNumber: hyphenated(number) }, call);
    return again.kind === "refused" ? created : again;
  }

  async function create(payload: CandidateCreate, call: Call): Promise<Creation> {
    const answer = await answerOf(client.createCandidate({ body: payload, ...init(call) }));
    if (answer.kind !== "answer") return answer;
    if (answer.status === 409) return { kind: "exists" };
    if (!answer.ok) return refused(answer);
    const { status } = answer;
    const body = read("created candidate", answer, isCandidate);
    if ("kind" in body) return { ...body, status };
    if (!isStorable(body.value.id)) return { ...broken("created candidate", [UNUSABLE_ID]), status };
    const number = parsePersonalNumber(payload.personalNumber);
    if (number && !isThePerson(body.value, number))
      return { ...unavailable("wrong_person", "the created candidate is another person"), status };
    return { kind: "created", candidate: body.value };
  }

  /** Reads one page of the registry; `absent` when the provider does not offer it. */
  async function openRegistry(
    page: { limit: number; cursor?: string },
    call: Call,
  ): Promise<RegistryOutcome<OpenPage>> {
    // A provider may ignore the limit and return the whole registry.
    const fetch = async (request: Request) =>
      asNotOffered(await parts.fetch(request, { maxBytes: LONGEST_REGISTRY }).catch(inPages));
    const options = { params: { query: page }, ...init(call), fetch };
    const answer = await answerOf(client.getCandidateRegistry(options), (text) => text);
    if (answer.kind !== "answer") return answer;
    if ([404, 405, 410].includes(answer.status)) return { kind: "absent" };
    return answer.ok ? readPage(answer.body) : refused(answer);
  }

  /** Returns the page of `openRegistry` with all of its entries read. */
  async function readRegistry(
    page: { limit: number; cursor?: string },
    call: Call,
  ): Promise<RegistryOutcome<RegistryPage>> {
    const opened = await openRegistry(page, call);
    if (opened.kind !== "page") return opened;
    const { candidates, nextCursor } = opened.page;
    return { kind: "page", page: { candidates: [...candidates], nextCursor } };
  }

  return { findCandidates, createCandidate, openRegistry, readRegistry };
}

/** The schema does not state that a lone surrogate is no text. */
const UNUSABLE_ID = { pointer: "/id", message: "cannot be stored, or be part of a path" };

function storable(read: ReadEntry<Candidate>): ReadEntry<Candidate> {
  return read.entry && !isStorable(read.entry.id) ? { fault: UNUSABLE_ID } : read;
}

/** An entry that breaks the contract may be the person, unless it names another one. */
function isAnother(entry: unknown, number: PersonalNumber): boolean {
  const { personalNumber } = (entry ?? {}) as { personalNumber?: unknown };
  const other = typeof personalNumber === "string" ? parsePersonalNumber(personalNumber) : undefined;
  return other !== undefined && other !== number;
}

/** A 501 is permanent; any other 5xx is temporary. */
const asNotOffered = (response: Response): Response =>
  response.status === 501 ? new Response(null, { status: 404 }) : response;

/** contract 2.8 gives two forms of the number and names neither as normative: these statuses may refuse the form, not the person. */
function isFormRefused(answer: { kind: string }): answer is Refused {
  const status = (answer as Partial<Refused>).status;
  return answer.kind === "refused" && (status === 400 || status === 422);
}

function isThePerson({ personalNumber }: Candidate, number: PersonalNumber): boolean {
  return !personalNumber || isSameNumber(personalNumber, number);
}

/** @throws the error of the call, with the remedy if the registry is too long for one response */
function inPages(error: unknown): never {
  if (!(error instanceof ProviderHttpError) || error.failure !== "response_too_long") throw error;
  throw new ProviderHttpError(error.failure, `${error.message}: offer the registry in pages`, {
    cause: error,
  });
}
