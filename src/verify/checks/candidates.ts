import { schemas } from "../../../generated/provider/validators.js";
import { type Exchange, isPlain, statusOf } from "../exchange.ts";
import { found, type Outcome, passed, refused, skipped } from "../finding.ts";
import { UNKNOWN_FIELDS } from "../refusal-advice.ts";
import type { PreparedPerson, Run } from "../run.ts";
import {
  createdId,
  differences,
  idsOf,
  isFormRefused,
  isFound,
  isTaken,
  lookUp,
  matching,
  NUMBERS_USED_UP,
  personOf,
  secondOf,
} from "../test-candidates.ts";
import type { Check } from "./check.ts";
import { judgeLookups, judgeUnrelated } from "./lookups.ts";

/** A candidate is created as sent, is found, and is not created twice (contract 2.3, 2.8, 4.2). */
export const candidates: Check = {
  group: "meaning",
  needs: ["unknownCandidate", "person", "known"],
  gives: ["number"],
  holds: { people: "adds" },
  run: check,
};

async function* check(run: Run): AsyncGenerator<Outcome> {
  const person = await personOf(run);
  yield* judgeUnrelated(Object.values(person.lookups), person.number);
  yield* searchByName(run, person);
  if (!person.creation) {
    const reason = "creating a candidate would change data";
    return yield skipped("skipped_read_only", "createCandidate", "a created candidate is found", reason);
  }
  yield* judgeCreation(run, person, "the created candidate");
  if (person.candidateId === undefined || !isFound(person)) return;
  yield* lookUpNearly(run, person);
  if (person.isReused) return;
  yield* judgeRepetition(await run.send({ operation: "createCandidate", json: person.payload }), person);
}

/** A lookup under a similar number must not find the candidate. */
async function* lookUpNearly(run: Run, { number }: PreparedPerson): AsyncGenerator<Outcome> {
  const otherDigit = (Number(number.at(-1)) + 1) % 10;
  const nearly = [number.slice(0, -1), `${number.slice(0, -1)}${otherDigit}`];
  for (const lookup of await Promise.all(nearly.map((text) => lookUp(run, text)))) {
    const expected = "no candidate for a number that differs in its last digit";
    yield matching(lookup, number).length > 0
      ? found("lookup_ignores_query", { exchange: lookup, expected, actual: "a person with another number" })
      : passed("findCandidates", "a similar personal number finds no candidate");
  }
}

/** Searches by name. The contract does not specify the parameter, so the judge alone checks the response. */
async function* searchByName(run: Run, { payload }: PreparedPerson): AsyncGenerator<Outcome> {
  const search = await run.send({ operation: "findCandidates", query: { name: payload.lastName } });
  if (!isPlain(search)) return;
  const title = "candidates are searched by name";
  yield search.answer.status < 300 || search.answer.status === 404
    ? passed("findCandidates", title)
    : skipped("skipped_not_offered", "findCandidates", title, `the provider returns ${search.answer.status}`);
}

/** @param who names the candidate in titles @param fix of a refusal */
async function* judgeCreation(
  run: Run,
  person: PreparedPerson,
  who: string,
  fix?: string,
): AsyncGenerator<Outcome> {
  const title = `${who} is found`;
  const { creation } = person;
  if (!creation) return;
  if (isTaken(person.lookups, person.number) && !person.isReused) {
    return yield skipped("skipped_not_prepared", "createCandidate", title, NUMBERS_USED_UP);
  }
  const { refusal } = person;
  if (refusal) {
    const expected = "a candidate created under 12 digits, as under the hyphenated form";
    yield found("number_form_ignored", {
      exchange: refusal,
      expected,
      actual: `status ${statusOf(refusal)}`,
    });
  }
  if (person.isReused) yield* judgeRepetition(creation, person);
  else if (isPlain(creation) && creation.answer.status >= 400)
    return yield { ...refused(creation, "201 or 200 with the candidate"), ...(fix !== undefined && { fix }) };
  if (person.candidateId === undefined) {
    return yield skipped("skipped_after_failure", "createCandidate", title, "no candidate was created");
  }
  if (!person.isReused) yield* judgeBody(creation, person, who);
  const { number, candidateId, found: lookups } = person;
  if (!lookups) return;
  yield* judgeLookups(run, { number, candidateId, who, missed: "create_without_effect" }, lookups);
  const finding = Object.values(lookups).find((lookup) => idsOf(lookup, number).length > 0);
  // An earlier run may have sent something else.
  if (finding && !person.isReused) yield* judgeBody(finding, person, who);
}

function* judgeBody(
  exchange: Exchange,
  { payload, number }: PreparedPerson,
  who: string,
): Generator<Outcome> {
  if (!isPlain(exchange)) return;
  const { json } = exchange.answer;
  const candidate = Array.isArray(json) ? matching(exchange, number)[0] : json;
  if (!schemas.Candidate(candidate)) return;
  const actual = differences(candidate, payload).join("; ");
  yield actual === ""
    ? passed(exchange.probe.operation, `${who} is stored as sent`)
    : found("candidate_differs", { exchange, expected: "the candidate as it was sent", actual });
}

/** Judges the creation of an existing candidate: 409, or the existing candidate (contract 4.2). */
function* judgeRepetition(again: Exchange, { candidateId }: PreparedPerson): Generator<Outcome> {
  if (!isPlain(again)) return;
  const id = createdId(again);
  if (id === undefined || id === candidateId) {
    return yield passed("createCandidate", "the same person is not created twice");
  }
  const expected = "409, or the existing candidate";
  yield found("candidate_twice", { exchange: again, expected, actual: "a second candidate" });
}

/** Creates a candidate with the full payload of a hire (contract 2.4). It is a new one in each run: an existing candidate does not show whether a creation works. */
export const hire: Check = {
  group: "meaning",
  needs: ["unknownCandidate", "person"],
  gives: ["second"],
  holds: { people: "adds" },
  run: checkHire,
};

async function* checkHire(run: Run): AsyncGenerator<Outcome> {
  if (!run.mayChange) {
    const title = "a candidate is created with the full payload";
    return yield skipped("skipped_read_only", "createCandidate", title, "it would change data");
  }
  const person = await secondOf(run);
  const isMinimalServed = (await personOf(run)).candidateId !== undefined;
  const isRefusedForm = person.creation && isFormRefused(person.creation) && isMinimalServed;
  const fix = isRefusedForm ? UNKNOWN_FIELDS : undefined;
  yield* judgeCreation(run, person, "the candidate of the full payload", fix);
  if (person.isReused)
    yield skipped("skipped_not_prepared", "createCandidate", "a new candidate is created", NUMBERS_USED_UP);
}
