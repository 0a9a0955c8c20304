import { type ExpressionBuilder, type Kysely, type Selectable, sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type {
  Candidate,
  CandidateChange,
  CandidateCreate,
  Membership,
} from "../../../../generated/operations/types.ts";
import {
  maskPersonalNumber,
  type PersonalNumber,
  parsePersonalNumber,
} from "../../../contract/personal-number.ts";
import { problem } from "../../../contract/problem.ts";
import { isUuid } from "../../../contract/uuid.ts";
import { changesOf } from "../../access/audit.ts";
import { reveal, unknownCandidate } from "../../candidates/candidate.ts";
import { erase } from "../../candidates/erase.ts";
import { hasCompetence } from "../../candidates/membership.ts";
import { release } from "../../candidates/release.ts";
import { jsonTexts } from "../../db/fragments.ts";
import type { CandidatesTable, Schema } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { resolveIssues } from "../../issues.ts";
import { type Trx, transact } from "../../transaction.ts";
import { markRefreshDue } from "../../work/refresh.ts";
import { contains, page } from "../page.ts";
import { created, noContent, ok } from "../response.ts";

const SHOWN = ["candidate_id", "personal_number_sealed", "first_name", "last_name", "is_shared"] as const;

type Shown = Pick<Selectable<CandidatesTable>, (typeof SHOWN)[number]>;

const selectPeople = (db: Kysely<Schema>) =>
  db.selectFrom("candidates").select(SHOWN).where("erased_at", "is", null);

/** @throws ProblemError candidate_not_found, also for an erased person. */
async function readView(
  deps: Pick<Deps, "numbers">,
  db: Kysely<Schema>,
  candidateId: string,
): Promise<Candidate> {
  const people = await selectPeople(db).where("candidate_id", "=", candidateId).execute();
  const [view] = await viewsOf(deps, db, people);
  if (!view) throw unknownCandidate();
  return view;
}

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
    revealCandidate: async ({ path, body: { reason } }) => {
      const row = await reveal(deps, path.candidateId, reason);
      return ok({
        candidateId: row.candidate_id,
        personalNumber: deps.numbers.open(row),
        firstName: row.first_name,
        lastName: row.last_name,
        email: row.email,
        phone: row.phone,
      });
    },
  } satisfies Partial<Handlers<undefined>>;
}

const hasCompetenceAnywhere = (competenceId: string) => sql<boolean>`
  (candidate_id in (select candidate_id from candidate_competences where competence_id = ${competenceId}::uuid)
  or candidate_id in (select candidate_id from membership_competences where competence_id = ${competenceId}::uuid))`;

/** Which candidates a list has. */
const fits =
  ({ search, competenceId }: { search?: string; competenceId?: string }) =>
  ({ and }: ExpressionBuilder<Schema, "candidates">) =>
    and([
      search !== undefined && isUuid(search)
        ? sql<boolean>`candidate_id = ${search}::uuid`
        : contains(sql`first_name || ' ' || last_name`, search),
      ...(competenceId === undefined ? [] : [hasCompetenceAnywhere(competenceId)]),
    ]);

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
  { email, phone, competenceIds }: CandidateChange,
): Promise<Candidate> {
  const wanted = competenceIds && (await checkCompetences(trx, competenceIds));
  await trx
    .updateTable("candidates")
    .set({ updated_at: deps.now(), ...(email && { email }), ...(phone && { phone }) })
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

/** With what the company and all organisations assert, which are statements of their own: a distributed database joins the rows of one organisation only. */
async function viewsOf(
  { numbers }: Pick<Deps, "numbers">,
  db: Kysely<Schema>,
  people: readonly Shown[],
): Promise<Candidate[]> {
  if (people.length === 0) return [];
  const ids = jsonTexts(people.map(({ candidate_id }) => candidate_id));
  const isShown = sql`candidate_id in (select id::uuid from ${ids} as shown (id))`;
  const { rows: able } = await sql<{ candidate_id: string; competence_id: string }>`
    select candidate_id, competence_id from candidate_competences where ${isShown}
    union select candidate_id, competence_id from membership_competences where ${isShown}
    order by competence_id`.execute(db);
  const { rows: members } = await sql<Membership & { candidate_id: string }>`
    select candidate_id, provider_id as "providerId", released_at is not null as released
    from memberships where ${isShown} order by created_at, provider_id`.execute(db);
  const competences = Map.groupBy(able, ({ candidate_id }) => candidate_id);
  const memberships = Map.groupBy(members, ({ candidate_id }) => candidate_id);
  return people.map((row) => ({
    candidateId: row.candidate_id,
    personalNumber: maskPersonalNumber(numbers.open(row)),
    firstName: row.first_name,
    lastName: row.last_name,
    competenceIds: (competences.get(row.candidate_id) ?? []).map(({ competence_id }) => competence_id),
    shared: row.is_shared,
    memberships: (memberships.get(row.candidate_id) ?? []).map(({ providerId, released }) => ({
      providerId,
      released,
    })),
  }));
}
