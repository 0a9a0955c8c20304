import { type ExpressionBuilder, type Kysely, type RawBuilder, sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type {
  Candidate,
  CandidateChange,
  CandidateCreate,
  ReleasedMany,
} from "../../../../generated/operations/types.ts";
import { problem } from "../../../contract/problem.ts";
import { isUuid } from "../../../contract/uuid.ts";
import { changesOf } from "../../access/audit.ts";
import { addPeople, errorsIn, importPeople } from "../../candidates/add-people.ts";
import { reveal, unknownCandidate } from "../../candidates/candidate.ts";
import {
  addCompetences,
  checkCompetences,
  offerTo,
  resolveMissingCompetences,
  setCompetence,
} from "../../candidates/competences.ts";
import { erase } from "../../candidates/erase.ts";
import { release, releaseMany } from "../../candidates/release.ts";
import { readConflicts } from "../../candidates/sources.ts";
import { jsonTexts } from "../../db/fragments.ts";
import type { Schema } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { requireIntegration } from "../../integrations/integration.ts";
import { type Trx, transact } from "../../transaction.ts";
import { readView, revealedView, selectPeople, viewsOf } from "../candidate-view.ts";
import { created, noContent, ok } from "../handlers.ts";
import { contains, DEFAULT_LIMIT, type PageQuery, page } from "../page.ts";

/** Candidates. Personal numbers are masked in every response but that of `revealCandidate`. */
export function candidateHandlers(deps: Deps) {
  const { kysely } = deps.database;
  return {
    createCandidate: async ({ body }) => {
      const errors = errorsIn(body, deps.now());
      if (errors.length > 0)
        throw problem("validation_failed", { detail: "The candidate was not added.", errors });
      return created(await transact(deps, (trx) => addCandidate(trx, deps, body)));
    },
    importCandidates: async ({ body: { people, preview = false } }) =>
      ok({ results: await transact(deps, (trx) => importPeople(trx, deps, people, preview)) }),
    setCompetence: async ({ body }) =>
      ok({ changed: await transact(deps, (trx) => setCompetence(trx, deps, body)) }),
    listCandidates: async ({ query }) => {
      const { items, ...rest } = await peoplePage(kysely, query);
      return ok({ items: await viewsOf(deps, kysely, items), ...rest });
    },
    getCandidate: async ({ path: { candidateId } }) => ok(await readView(deps, kysely, candidateId)),
    changeCandidate: async ({ path, body }) =>
      ok(await transact(deps, (trx) => changeCandidate(trx, deps, path.candidateId, body))),
    eraseCandidate: async ({ path }) => {
      await erase(deps, path.candidateId);
      // After a restore from a backup, this line says who has to be erased again.
      deps.log.info({ candidateId: path.candidateId }, "erased a person");
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

/** The words, in any order, are parts of the company's name, or of that of a registry; or the text is the employee number. */
const isNamed = (search: string) => sql<boolean>`
  (${hasWords(search)} or employee_number = ${search} or candidate_id in (select candidate_id from memberships where ${hasWords(search)}))`;

const MOST_WORDS = 10;

function hasWords(search: string): RawBuilder<boolean> {
  const words = search.split(/\s+/u).slice(0, MOST_WORDS);
  return sql<boolean>`(${sql.join(
    words.map((word) => contains(FULL_NAME, word)),
    sql` and `,
  )})`;
}

const FULL_NAME = sql`first_name || ' ' || last_name`;

/** People of one statement, and statements of one page, among whom conflicts are searched for: a page costs no more, however many people there are. */
const BATCH = 1_000;
const BATCHES = 10;

/** A page of the candidates wanted. With `conflicting` it may be shorter than its limit, although there is a next one. */
async function peoplePage(kysely: Kysely<Schema>, query: Wanted & PageQuery) {
  const pageOf = (asked: PageQuery) =>
    page(selectPeople(kysely).where(fits(query)), asked, { id: "candidateId" }, (row) => row);
  if (query.state !== "conflicting") return pageOf(query);
  const { limit = DEFAULT_LIMIT } = query;
  const found: Awaited<ReturnType<typeof pageOf>>["items"] = [];
  let { cursor } = query;
  for (let batch = 1; batch <= BATCHES && found.length <= limit; batch += 1) {
    const { items, nextCursor } = await pageOf({ limit: BATCH, ...(cursor !== undefined && { cursor }) });
    const conflicts = await readConflicts(
      kysely,
      items.map(({ candidateId }) => candidateId),
    );
    found.push(...items.filter(({ candidateId }) => conflicts.has(candidateId)));
    cursor = nextCursor;
    if (cursor === undefined) break;
  }
  const items = found.slice(0, limit);
  const next = found.length > limit ? items.at(-1)?.candidateId : cursor;
  return { items, ...(next !== undefined && { nextCursor: next }) };
}

interface Wanted {
  search?: string;
  candidateId?: readonly string[];
  competenceId?: string;
  providerId?: string;
  state?: "unreleased" | "conflicting";
}

/** Which candidates a list has. */
const fits =
  ({ search, candidateId, competenceId, providerId, state }: Wanted) =>
  ({ and }: ExpressionBuilder<Schema, "candidates">) =>
    and([
      ...(search === undefined
        ? []
        : [isUuid(search) ? sql<boolean>`candidate_id = ${search}::uuid` : isNamed(search)]),
      ...(candidateId === undefined ? [] : [sql<boolean>`candidate_id = any(${candidateId}::uuid[])`]),
      ...(competenceId === undefined ? [] : [hasCompetenceAnywhere(competenceId)]),
      ...(providerId === undefined
        ? []
        : [
            sql<boolean>`candidate_id in (select candidate_id from memberships where provider_id = ${providerId})`,
          ]),
      ...(state === "unreleased" ? [sql<boolean>`not is_shared`] : []),
    ]);

async function releaseAll(
  trx: Trx,
  deps: Deps,
  given: { providerId: string; candidateIds: readonly string[] },
): Promise<ReleasedMany> {
  const { released, conflicting, elsewhere, unknown, competenceIds } = await releaseMany(trx, deps, given);
  await offerTo(trx, deps, competenceIds);
  // Each by a name of its own, so that the audit log of a person has the release.
  const subjects = Object.fromEntries(released.map((id, index) => [`candidateId ${index + 1}`, id]));
  deps.audit?.note({ subjects });
  const left = [
    ...conflicting.map((candidateId) => ({ candidateId, reason: "conflicting" }) as const),
    ...elsewhere.map((candidateId) => ({ candidateId, reason: "named_elsewhere" }) as const),
    ...unknown.map((candidateId) => ({ candidateId, reason: "not_in_registry" }) as const),
  ];
  return { released: released.length, left };
}

async function addCandidate(trx: Trx, deps: Deps, order: CandidateCreate): Promise<Candidate> {
  const competenceIds = await checkCompetences(trx, order.competenceIds);
  const [candidateId] = await addPeople(trx, deps, [order]);
  if (candidateId === undefined)
    throw problem("candidate_exists", { detail: "A candidate has this personal number already." });
  deps.audit?.note({ subjects: { candidateId }, changes: changesOf({}, { competenceIds }) });
  return readView(deps, trx, candidateId);
}

async function changeCandidate(
  trx: Trx,
  deps: Deps,
  candidateId: string,
  { email, phone, competenceIds, language, employeeNumber }: CandidateChange,
): Promise<Candidate> {
  const wanted = competenceIds && (await checkCompetences(trx, competenceIds));
  await trx
    .updateTable("candidates")
    .set({
      updatedAt: deps.now(),
      ...(email && { email: email.normalize("NFC") }),
      ...(phone && { phone }),
      ...(language && { language }),
      ...(employeeNumber !== undefined && { employeeNumber: employeeNumber || null }),
      ...(wanted && { areCompetencesDecided: true }),
    })
    .where("candidateId", "=", candidateId)
    .where("erasedAt", "is", null)
    .returning("candidateId")
    .executeTakeFirstOrThrow(unknownCandidate);
  if (wanted) {
    const before = { competenceIds: (await readView(deps, trx, candidateId)).competenceIds };
    deps.audit?.note({ changes: changesOf(before, { competenceIds: wanted.toSorted() }) });
    await sql`
      delete from candidate_competences where candidate_id = ${candidateId}
        and competence_id not in (
          select id::uuid from ${jsonTexts(wanted)} as wanted (id))`.execute(trx);
    // The operator's list replaces what registries assert.
    await trx.deleteFrom("membershipCompetences").where("candidateId", "=", candidateId).execute();
    await addCompetences(
      trx,
      deps,
      wanted.map((competenceId) => ({ candidateId, competenceId })),
    );
    await resolveMissingCompetences(trx, deps, [candidateId]);
  }
  return readView(deps, trx, candidateId);
}
