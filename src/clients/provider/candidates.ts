import type { Client } from "../../../generated/provider/client.ts";
import type { Candidate, CandidateCreate } from "../../../generated/provider/types.ts";
import { responses, schemas } from "../../../generated/provider/validators.js";
import { hyphenated, type PersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import { isStorable } from "../../contract/storable-text.ts";
import {
  answerOf,
  type Failure,
  type Refused,
  read,
  refused,
  type Unavailable,
  unavailable,
} from "./answer.ts";
import { type Call, init, type ProviderParts } from "./parts.ts";
import { LONGEST_REGISTRY, type RegistryPage, readPage } from "./registry-page.ts";

/** `unproven`: no one was found, by a 404 without the contract's code, which a gateway without a route sends too. */
type LookUp = { kind: "found"; candidates: Candidate[]; unproven?: true } | Failure;

type Creation = { kind: "created"; candidate: Candidate } | { kind: "exists" } | Failure;

/** Looks up, creates and imports candidates (contract 4.2). */
export function candidateCalls(client: Client, parts: ProviderParts) {
  async function lookUp(form: string, call: Call): Promise<LookUp> {
    const params = { query: { personalNumber: form } };
    const answer = await answerOf(client.findCandidates({ params, ...init(call) }));
    if (answer.kind !== "answer") return answer;
    if (answer.status === 404) parts.onSeen({ notFound: "404" });
    if (answer.status === 404) {
      const isProven = refused(answer).code !== undefined;
      return { kind: "found", candidates: [], ...(!isProven && { unproven: true }) };
    }
    if (!answer.ok) return refused(answer);
    const body = read("list of candidates", answer, responses.findCandidates[200]);
    if ("kind" in body) return body;
    const odd = body.value.findIndex(({ id }) => !isStorable(id));
    if (odd >= 0) return unusableId("list of candidates", `/${odd}/id`);
    if (body.value.length === 0) parts.onSeen({ notFound: "empty" });
    return { kind: "found", candidates: body.value };
  }

  /**
   * Everybody whom the provider knows under the number, each once. Looks under the 12 digits and, if nobody is found, once more under the
   * hyphenated form; a provider that knows one form only may refuse the other. An entry that names another personal number is left out,
   * because a provider that ignores the query must not make us book a stranger.
   */
  async function findCandidates(number: PersonalNumber, call: Call): Promise<LookUp> {
    const refusals: Refused[] = [];
    let isProven = true;
    for (const form of [number, hyphenated(number)]) {
      const found = await lookUp(form, call);
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
   * `exists` (409): somebody created the person in between; look up again. A provider that refuses the number of 12 digits is sent the
   * hyphenated form once.
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
    const body = read("created candidate", answer, schemas.Candidate);
    if ("kind" in body) return body;
    if (!isStorable(body.value.id)) return unusableId("created candidate", "/id");
    const number = parsePersonalNumber(payload.personalNumber);
    if (number && !isThePerson(body.value, number))
      return unavailable("wrong_person", "the created candidate is somebody else");
    return { kind: "created", candidate: body.value };
  }

  /** One page of the registry; `absent` when the provider does not offer it. */
  async function readRegistry(
    page: { limit: number; cursor?: string },
    call: Call,
  ): Promise<{ kind: "page"; page: RegistryPage } | { kind: "absent" } | Failure> {
    // A provider may ignore the limit and answer with everybody.
    const fetch = async (request: Request) =>
      asNotOffered(await parts.fetch(request, { maxBytes: LONGEST_REGISTRY }));
    const options = { params: { query: page }, ...init(call), fetch };
    const answer = await answerOf(client.getCandidateRegistry(options));
    if (answer.kind !== "answer") return answer;
    if ([404, 405, 410].includes(answer.status)) return { kind: "absent" };
    return answer.ok ? readPage(answer) : refused(answer);
  }

  return { findCandidates, createCandidate, readRegistry };
}

/** No schema says it: such an id fits neither into a path nor into the database. */
const unusableId = (what: string, pointer: string): Unavailable => ({
  ...unavailable("contract_violation", `the ${what} breaks the contract: ${pointer} cannot be stored`),
  pointers: [pointer],
});

/** Any other 5xx says "not now"; a 501 stays. */
const asNotOffered = (response: Response): Response =>
  response.status === 501 ? new Response(null, { status: 404 }) : response;

/** contract 2.8 gives two forms of the number and does not say which is normative: these may refuse the form, not the person. */
function isFormRefused(answer: { kind: string }): answer is Refused {
  const status = (answer as Partial<Refused>).status;
  return answer.kind === "refused" && (status === 400 || status === 422);
}

function isThePerson({ personalNumber }: Candidate, number: PersonalNumber): boolean {
  return !personalNumber || parsePersonalNumber(personalNumber) === number;
}
