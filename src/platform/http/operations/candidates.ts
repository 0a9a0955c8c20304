import { type ExpressionBuilder, sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type {
  Candidate,
  CandidateChange,
  CandidateCreate,
  ReleasedMany,
} from "../../../../generated/operations/types.ts";
import { type PersonalNumber, parsePersonalNumber } from "../../../contract/personal-number.ts";
import { problem } from "../../../contract/problem.ts";
import { isUuid } from "../../../contract/uuid.ts";
import { changesOf } from "../../access/audit.ts";
import { reveal, unknownCandidate } from "../../candidates/candidate.ts";
import { erase } from "../../candidates/erase.ts";
import { hasCompetence } from "../../candidates/membership.ts";
import { release, releaseMany } from "../../candidates/release.ts";
import { CONFLICTING } from "../../candidates/sources.ts";
import { jsonTexts } from "../../db/fragments.ts";
import type { Schema } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { requireIntegration } from "../../integrations/integration.ts";
import { resolveIssues } from "../../issues.ts";
import { type Trx, transact } from "../../transaction.ts";
import { markRefreshDue } from "../../work/refresh.ts";
import { readView, revealedView, selectPeople, viewsOf } from "../candidate-view.ts";
import { contains, page } from "../page.ts";
import { created, noContent, ok } from "../response.ts";

/** Candidates. Personal numbers are masked in every response but that of `revealCandidate`. */
export function candidateHandlers(deps: Deps) {
  const { kysely } = deps.database;
  return {
    createCandidate: async ({ body }) => {
      const number = readNumber(body.personalNumber);
      return created(await transact(deps, (trx) => addCandidate(trx, deps, body, number)));
    },
    listCandidates: async ({ query }) => {
      const all = selectPeople(kysely).where(fits(query));
      const { items, ...rest } = await page(all, query, { id: "candidate_id" }, (row) => row);
      return ok({ items: await viewsOf(deps, kysely, items), ...rest });
    },
    getCandidate: async ({ path: { candidateId } }) => ok(await readView(deps, kysely, candidateId)),
    changeCandidate: async ({ path, body }) =>
      ok(await transact(deps, (trx) => changeCandidate(trx, deps, path.candidateId, body))),
    eraseCandidate: async ({ path }) => {
      await erase(deps, path.candidateId);
      return noContent;
    },
    releaseCandidate: async ({ path: { candidateId }, body: { providerId } }) =>
      ok(
        await transact(deps, async (trx) => {
          const competenceIds = await release(trx, deps, { candidateId, providerId });
          await offerTo(trx, deps, competenceIds);
          return readView(deps, trx, candidateId);
        }),
      ),
    releaseCandidates: async ({ path: { providerId }, body: { candidateIds } }) => {
      await requireIntegration(kysely, providerId);
      return ok(await transact(deps, (trx) => releaseAll(trx, deps, { providerId, candidateIds })));
    },
    revealCandidate: async ({ path, body: { reason } }) => {
      const { candidate, asserted } = await reveal(deps, path.candidateId, reason);
      return ok(revealedView(deps, candidate, asserted));
    },
  } satisfies Partial<Handlers<undefined>>;
}

const hasCompetenceAnywhere = (competenceId: string) => sql<boolean>`
  (candidate_id in (select candidate_id from candidate_competences where competence_id = ${competenceId}::uuid)
  or candidate_id in (select candidate_id from membership_competences where competence_id = ${competenceId}::uuid))`;

/** A part of the company's name, or of that of a registry. */
const isNamed = (search: string) => sql<boolean>`
  (${contains(FULL_NAME, search)} or candidate_id in (select candidate_id from memberships where ${contains(FULL_NAME, search)}))`;

const FULL_NAME = sql`first_name || ' ' || last_name`;

const IN_STATE = {
  unreleased: sql<boolean>`not is_shared`,
  conflicting: sql<boolean>`candidate_id in ${CONFLICTING}`,
};

interface Wanted {
  search?: string;
  competenceId?: string;
  providerId?: string;
  state?: keyof typeof IN_STATE;
}

/** Which candidates a list has. */
const fits =
  ({ search, competenceId, providerId, state }: Wanted) =>
  ({ and }: ExpressionBuilder<Schema, "candidates">) =>
    and([
      ...(search === undefined
        ? []
        : [isUuid(search) ? sql<boolean>`candidate_id = ${search}::uuid` : isNamed(search)]),
      ...(competenceId === undefined ? [] : [hasCompetenceAnywhere(competenceId)]),
      ...(providerId === undefined
        ? []
        : [
            sql<boolean>`candidate_id in (select candidate_id from memberships where provider_id = ${providerId})`,
          ]),
      ...(state === undefined ? [] : [IN_STATE[state]]),
    ]);

async function releaseAll(
  trx: Trx,
  deps: Deps,
  given: { providerId: string; candidateIds: readonly string[] },
): Promise<ReleasedMany> {
  const { released, conflicting, unknown, competenceIds } = await releaseMany(trx, deps, given);
  await offerTo(trx, deps, competenceIds);
  // Each by a name of its own, so that the audit log of a person has the release.
  const subjects = Object.fromEntries(released.map((id, index) => [`candidateId ${index + 1}`, id]));
  deps.audit?.note({ subjects });
  const left = [
    ...conflicting.map((candidateId) => ({ candidateId, reason: "conflicting" }) as const),
    ...unknown.map((candidateId) => ({ candidateId, reason: "not_in_registry" }) as const),
  ];
  return { released: released.length, left };
}

function readNumber(text: string): PersonalNumber {
  const number = parsePersonalNumber(text);
  if (number) return number;
  const errors = [
    { pointer: "/personalNumber", message: "must be a Swedish personal number with a valid check digit" },
  ];
  throw problem("validation_failed", { detail: "The candidate was not added.", errors });
}

async function addCandidate(
  trx: Trx,
  deps: Deps,
  order: CandidateCreate,
  number: PersonalNumber,
): Promise<Candidate> {
  const competenceIds = await checkCompetences(trx, order.competenceIds);
  const at = deps.now();
  const person = {
    first_name: order.firstName,
    last_name: order.lastName,
    email: order.email,
    phone: order.phone,
    hire: order.hire ? deps.vault.seal(JSON.stringify(order.hire)) : null,
    language: order.language ?? null,
    is_shared: true,
    updated_at: at,
  };
  // A registry alone must not keep an operator from adding the person.
  const { candidate_id } = await trx
    .insertInto("candidates")
    .values({ candidate_id: deps.newId(), ...deps.numbers.columns(number), ...person, created_at: at })
    .onConflict((conflict) =>
      conflict.column("personal_number_hash").doUpdateSet(person).where("candidates.is_shared", "=", false),
    )
    .returning("candidate_id")
    .executeTakeFirstOrThrow(() =>
      problem("candidate_exists", { detail: "A candidate has this personal number already." }),
    );
  // Adding an erased person again is the operator's decision: later imports include the person again.
  await trx.deleteFrom("erased_people").where("number_hash", "=", deps.numbers.hash(number)).execute();
  const changes = changesOf({}, { competenceIds });
  deps.audit?.note({ subjects: { candidateId: candidate_id }, changes });
  await addCompetences(trx, deps, candidate_id, competenceIds);
  return readView(deps, trx, candidate_id);
}

async function changeCandidate(
  trx: Trx,
  deps: Deps,
  candidateId: string,
  { email, phone, competenceIds, language }: CandidateChange,
): Promise<Candidate> {
  const wanted = competenceIds && (await checkCompetences(trx, competenceIds));
  await trx
    .updateTable("candidates")
    .set({
      updated_at: deps.now(),
      ...(email && { email }),
      ...(phone && { phone }),
      ...(language && { language }),
    })
    .where("candidate_id", "=", candidateId)
    .where("erased_at", "is", null)
    .returning("candidate_id")
    .executeTakeFirstOrThrow(unknownCandidate);
  if (wanted) {
    const before = { competenceIds: (await readView(deps, trx, candidateId)).competenceIds };
    deps.audit?.note({ changes: changesOf(before, { competenceIds: wanted.toSorted() }) });
    await sql`
      delete from candidate_competences where candidate_id = ${candidateId}
        and competence_id not in (
          select id::uuid from ${jsonTexts(wanted)} as wanted (id))`.execute(trx);
    // The operator's list replaces what registries assert.
    await trx.deleteFrom("membership_competences").where("candidate_id", "=", candidateId).execute();
    await addCompetences(trx, deps, candidateId, wanted);
    await resolveMissingCompetences(trx, deps, candidateId);
  }
  return readView(deps, trx, candidateId);
}

/** Closes the issues about shifts that the candidate is able to work on now. */
async function resolveMissingCompetences(trx: Trx, deps: Deps, candidateId: string): Promise<void> {
  const isAble = sql<boolean>`subject ->> 'candidateId' = ${candidateId} and exists (
    select 1 from jobs where jobs.provider_id = issues.provider_id and jobs.shift_id = subject ->> 'shiftId'
      and ${hasCompetence(sql`${candidateId}::uuid`, sql`jobs.provider_id`, sql`jobs.competence_id`)})`;
  await resolveIssues(trx, deps, { codes: ["competence_missing"], where: isAble });
}

/** Those open jobs that need a competence that the candidate did not have before are offered. */
async function addCompetences(
  trx: Trx,
  deps: Deps,
  candidate_id: string,
  competenceIds: readonly string[],
): Promise<void> {
  if (competenceIds.length === 0) return;
  const added = await trx
    .insertInto("candidate_competences")
    .values(competenceIds.map((competence_id) => ({ candidate_id, competence_id })))
    .onConflict((conflict) => conflict.doNothing())
    .returning("competence_id")
    .execute();
  await offerTo(
    trx,
    deps,
    added.map(({ competence_id }) => competence_id),
  );
}

async function offerTo(trx: Trx, deps: Deps, competenceIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ providerId: string; competenceId: string }>`
    select provider_id as "providerId", able.competence_id as "competenceId"
    from integrations cross join ${jsonTexts(competenceIds)} as given (id)
      cross join lateral (select given.id::uuid as competence_id) as able
    where exists (select 1 from jobs where jobs.provider_id = integrations.provider_id
      and jobs.competence_id = able.competence_id and jobs.status = 'open')`.execute(trx);
  const refreshes = rows.map(({ providerId, competenceId }) => ({ providerId, key: { competenceId } }));
  markRefreshDue(trx, deps, refreshes);
}

async function checkCompetences(trx: Trx, given: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(given)];
  if (wanted.length === 0) return [];
  const rows = await trx
    .selectFrom("competences")
    .select("competence_id")
    .where("competence_id", "in", wanted)
    .execute();
  const known = new Set(rows.map(({ competence_id }) => competence_id));
  const errors = given.flatMap((id, index) =>
    known.has(id) ? [] : [{ pointer: `/competenceIds/${index}`, message: "is not a competence" }],
  );
  if (errors.length > 0) throw problem("validation_failed", { detail: "Nothing was stored.", errors });
  return wanted;
}
