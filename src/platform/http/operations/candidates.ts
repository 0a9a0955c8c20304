import { type ExpressionBuilder, sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type {
  Candidate,
  CandidateChange,
  CandidateCreate,
  CompetenceOfMany,
  FieldError,
  ImportedPerson,
  ReleasedMany,
} from "../../../../generated/operations/types.ts";
import { requests } from "../../../../generated/operations/validators.js";
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
      const errors = errorsIn(body);
      if (errors.length > 0)
        throw problem("validation_failed", { detail: "The candidate was not added.", errors });
      return created(await transact(deps, (trx) => addCandidate(trx, deps, body)));
    },
    importCandidates: async ({ body: { people, preview = false } }) =>
      ok({ results: await transact(deps, (trx) => importPeople(trx, deps, people, preview)) }),
    setCompetence: async ({ body }) =>
      ok({ changed: await transact(deps, (trx) => setCompetence(trx, deps, body)) }),
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

/** A part of the company's name, or of that of a registry, or the employee number. */
const isNamed = (search: string) => sql<boolean>`
  (${contains(FULL_NAME, search)} or employee_number = ${search} or candidate_id in (select candidate_id from memberships where ${contains(FULL_NAME, search)}))`;

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

/** What the schema of a candidate does not express. */
function errorsIn({ personalNumber }: CandidateCreate): FieldError[] {
  if (parsePersonalNumber(personalNumber)) return [];
  const message = "must be a Swedish personal number with a valid check digit";
  return [{ pointer: "/personalNumber", message }];
}

async function addCandidate(trx: Trx, deps: Deps, order: CandidateCreate): Promise<Candidate> {
  const competenceIds = await checkCompetences(trx, order.competenceIds);
  const [candidateId] = await addPeople(trx, deps, [order]);
  if (candidateId === undefined)
    throw problem("candidate_exists", { detail: "A candidate has this personal number already." });
  deps.audit?.note({ subjects: { candidateId }, changes: changesOf({}, { competenceIds }) });
  return readView(deps, trx, candidateId);
}

/** Adds those who are valid and not known, and returns the result for each; a preview adds no one. */
async function importPeople(
  trx: Trx,
  deps: Deps,
  people: readonly unknown[],
  isPreview: boolean,
): Promise<ImportedPerson[]> {
  const competences = await trx.selectFrom("competences").select("competence_id").execute();
  const known = new Set(competences.map(({ competence_id }) => competence_id));
  const { body } = requests.createCandidate;
  const read = people.map((person) => {
    if (!body(person)) return { errors: body.errorsOf(person) };
    const errors = [...errorsIn(person), ...unknownCompetences(person.competenceIds, known)];
    return errors.length > 0 ? { errors } : { person, hash: hashOf(deps, person) };
  });
  const valid = read.flatMap(({ person, hash }) => (person ? [[hash, person] as const] : []));
  // The first of those with one number.
  const orders = new Map(valid.toReversed());
  const found = await trx
    .selectFrom("candidates")
    .select(["candidate_id", "personal_number_hash"])
    .where("personal_number_hash", "in", [...orders.keys(), ""])
    .where("is_shared", "=", true)
    .execute();
  for (const { personal_number_hash } of found) orders.delete(personal_number_hash ?? "");
  const added = isPreview ? [] : await addPeople(trx, deps, [...orders.values()]);
  const idOf = new Map([...orders.keys()].map((hash, index) => [hash, added[index]]));
  // Someone may have been added meanwhile.
  const isAdded = (hash: string) => orders.has(hash) && (isPreview || idOf.get(hash) !== undefined);
  for (const { candidate_id, personal_number_hash } of found)
    idOf.set(personal_number_hash ?? "", candidate_id);
  const subjects = added.flatMap((id, index) => (id ? [[`candidateId ${index + 1}`, id]] : []));
  deps.audit?.note({ subjects: Object.fromEntries(subjects) });
  return read.map(({ person, hash, errors = [] }) => {
    if (!person) return { outcome: "refused", errors };
    const candidateId = idOf.get(hash);
    const isFirst = orders.get(hash) === person;
    return { outcome: isFirst && isAdded(hash) ? "added" : "known", ...(candidateId && { candidateId }) };
  });
}

const hashOf = ({ numbers }: Pick<Deps, "numbers">, { personalNumber }: CandidateCreate): string =>
  numbers.hash(parsePersonalNumber(personalNumber) as PersonalNumber);

/** Adds people of different, valid personal numbers, and returns the id of each; undefined for one whom an operator has added before. */
async function addPeople(
  trx: Trx,
  deps: Deps,
  orders: readonly CandidateCreate[],
): Promise<(string | undefined)[]> {
  if (orders.length === 0) return [];
  const at = deps.now();
  const rows = orders.map((order) => ({
    candidate_id: deps.newId(),
    ...deps.numbers.columns(parsePersonalNumber(order.personalNumber) as PersonalNumber),
    first_name: order.firstName,
    last_name: order.lastName,
    email: order.email,
    phone: order.phone,
    hire: order.hire ? deps.vault.seal(JSON.stringify(order.hire)) : null,
    language: order.language ?? null,
    employee_number: order.employeeNumber || null,
    is_shared: true,
    created_at: at,
    updated_at: at,
  }));
  // A registry alone must not keep an operator from adding the person.
  const stored = await trx
    .insertInto("candidates")
    .values(rows.toSorted(byHash))
    .onConflict((conflict) =>
      conflict
        .column("personal_number_hash")
        .doUpdateSet(({ ref }) => Object.fromEntries(GIVEN.map((name) => [name, ref(`excluded.${name}`)])))
        .where("candidates.is_shared", "=", false),
    )
    .returning(["candidate_id", "personal_number_hash"])
    .execute();
  const ids = new Map(stored.map((row) => [row.personal_number_hash, row.candidate_id]));
  // Adding an erased person again is the operator's decision: later imports include the person again.
  await trx
    .deleteFrom("erased_people")
    .where("number_hash", "in", [...ids.keys(), ""])
    .execute();
  const added = rows.map(({ personal_number_hash }) => ids.get(personal_number_hash));
  const able = orders.flatMap(({ competenceIds }, index) => {
    const candidate_id = added[index];
    return candidate_id === undefined
      ? []
      : [...new Set(competenceIds)].map((competence_id) => ({ candidate_id, competence_id }));
  });
  await addCompetences(trx, deps, able);
  return added;
}

/** What a person whom a registry named before gets. */
const GIVEN = [
  "first_name",
  "last_name",
  "email",
  "phone",
  "hire",
  "language",
  "employee_number",
  "is_shared",
  "updated_at",
] as const;

interface Hashed {
  personal_number_hash: string;
}

/** Two imports of the same people lock them in one order. */
const byHash = (left: Hashed, right: Hashed) =>
  left.personal_number_hash < right.personal_number_hash ? -1 : 1;

interface Ability {
  candidate_id: string;
  competence_id: string;
}

/** Returns for how many people it changed something. */
async function setCompetence(
  trx: Trx,
  deps: Deps,
  { candidateIds, competenceId, has }: CompetenceOfMany,
): Promise<number> {
  const known = await trx
    .selectFrom("competences")
    .select("competence_id")
    .where("competence_id", "=", competenceId)
    .execute();
  if (known.length === 0) throw notStored([{ pointer: "/competenceId", message: "is not a competence" }]);
  const concerned = await trx
    .updateTable("candidates")
    .set({ updated_at: deps.now() })
    .where("candidate_id", "in", candidateIds)
    .where("erased_at", "is", null)
    .returning("candidate_id")
    .execute();
  const ids = concerned.map(({ candidate_id }) => candidate_id);
  if (ids.length === 0) return 0;
  const changed = has
    ? await addCompetences(
        trx,
        deps,
        ids.map((candidate_id) => ({ candidate_id, competence_id: competenceId })),
      )
    : await removeCompetence(trx, ids, competenceId);
  if (has) await resolveMissingCompetences(trx, deps, ids);
  const subjects = changed.map((id, index) => [`candidateId ${index + 1}`, id]);
  deps.audit?.note({
    subjects: Object.fromEntries(subjects),
    changes: changesOf({}, { [has ? "added" : "removed"]: competenceId }),
  });
  return changed.length;
}

async function removeCompetence(trx: Trx, ids: readonly string[], competenceId: string): Promise<string[]> {
  const removed = new Set<string>();
  for (const table of ["candidate_competences", "membership_competences"] as const) {
    const rows = await trx
      .deleteFrom(table)
      .where("candidate_id", "in", ids)
      .where("competence_id", "=", competenceId)
      .returning("candidate_id")
      .execute();
    for (const { candidate_id } of rows) removed.add(candidate_id);
  }
  return [...removed];
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
      updated_at: deps.now(),
      ...(email && { email }),
      ...(phone && { phone }),
      ...(language && { language }),
      ...(employeeNumber !== undefined && { employee_number: employeeNumber || null }),
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
    await addCompetences(
      trx,
      deps,
      wanted.map((competence_id) => ({ candidate_id: candidateId, competence_id })),
    );
    await resolveMissingCompetences(trx, deps, [candidateId]);
  }
  return readView(deps, trx, candidateId);
}

/** Closes the issues about shifts that the people are able to work on now. */
async function resolveMissingCompetences(
  trx: Trx,
  deps: Deps,
  candidateIds: readonly string[],
): Promise<void> {
  const isAble = sql<boolean>`subject ->> 'candidateId' in (select id from ${jsonTexts(candidateIds)} as able (id)) and exists (
    select 1 from jobs where jobs.provider_id = issues.provider_id and jobs.shift_id = subject ->> 'shiftId'
      and ${hasCompetence(sql`(subject ->> 'candidateId')::uuid`, sql`jobs.provider_id`, sql`jobs.competence_id`)})`;
  await resolveIssues(trx, deps, { codes: ["competence_missing"], where: isAble });
}

/** Those open jobs that need a competence that someone did not have before are offered. Returns who got one. */
async function addCompetences(trx: Trx, deps: Deps, able: readonly Ability[]): Promise<string[]> {
  if (able.length === 0) return [];
  const added = await trx
    .insertInto("candidate_competences")
    .values(able)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["candidate_id", "competence_id"])
    .execute();
  await offerTo(trx, deps, [...new Set(added.map(({ competence_id }) => competence_id))]);
  return [...new Set(added.map(({ candidate_id }) => candidate_id))];
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
  const errors = unknownCompetences(given, new Set(rows.map(({ competence_id }) => competence_id)));
  if (errors.length > 0) throw notStored(errors);
  return wanted;
}

const unknownCompetences = (given: readonly string[], known: ReadonlySet<string>): FieldError[] =>
  given.flatMap((id, index) =>
    known.has(id) ? [] : [{ pointer: `/competenceIds/${index}`, message: "is not a competence" }],
  );

const notStored = (errors: FieldError[]) =>
  problem("validation_failed", { detail: "Nothing was stored.", errors });
