import { sql } from "kysely";
import type { CompetenceOfMany, FieldError } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { changesOf } from "../access/audit.ts";
import { jsonTexts } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { resolveIssues } from "../issues.ts";
import type { Trx } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { hasCompetence } from "./eligible.ts";

interface Ability {
  candidateId: string;
  competenceId: string;
}

/** Returns for how many people it changed something. */
export async function setCompetence(
  trx: Trx,
  deps: Deps,
  { candidateIds, competenceId, has }: CompetenceOfMany,
): Promise<number> {
  const known = await trx
    .selectFrom("competences")
    .select("competenceId")
    .where("competenceId", "=", competenceId)
    .execute();
  if (known.length === 0) throw notStored([{ pointer: "/competenceId", message: "is not a competence" }]);
  const concerned = await trx
    .updateTable("candidates")
    .set({ updatedAt: deps.now(), areCompetencesDecided: true })
    .where("candidateId", "in", candidateIds)
    .where("erasedAt", "is", null)
    .returning("candidateId")
    .execute();
  const ids = concerned.map(({ candidateId }) => candidateId);
  if (ids.length === 0) return 0;
  const changed = has
    ? await addCompetences(
        trx,
        deps,
        ids.map((candidateId) => ({ candidateId, competenceId })),
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
  for (const table of ["candidateCompetences", "membershipCompetences"] as const) {
    const rows = await trx
      .deleteFrom(table)
      .where("candidateId", "in", ids)
      .where("competenceId", "=", competenceId)
      .returning("candidateId")
      .execute();
    for (const { candidateId } of rows) removed.add(candidateId);
  }
  return [...removed];
}

/** Closes the issues about shifts that the people are able to work on now. */
export async function resolveMissingCompetences(
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
export async function addCompetences(trx: Trx, deps: Deps, able: readonly Ability[]): Promise<string[]> {
  if (able.length === 0) return [];
  const added = await trx
    .insertInto("candidateCompetences")
    .values(able)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["candidateId", "competenceId"])
    .execute();
  await offerTo(trx, deps, [...new Set(added.map(({ competenceId }) => competenceId))]);
  return [...new Set(added.map(({ candidateId }) => candidateId))];
}

/** Returns the competences of people that are valid everywhere: those that the company itself asserts. */
export async function competencesOf(trx: Trx, candidateIds: readonly string[]): Promise<string[]> {
  if (candidateIds.length === 0) return [];
  const { rows } = await sql<{ competenceId: string }>`
    select distinct competence_id from candidate_competences
    where candidate_id in (select id::uuid from ${jsonTexts(candidateIds)} as listed (id))`.execute(trx);
  return rows.map(({ competenceId }) => competenceId);
}

/** Offers the open jobs that need one of the competences to who has become able, at all organisations or at one. */
export async function offerTo(
  trx: Trx,
  deps: Pick<Deps, "wakeWorker">,
  competenceIds: readonly string[],
  { providerId: only, afterMs }: { providerId?: string; afterMs?: number } = {},
): Promise<void> {
  if (competenceIds.length === 0) return;
  const { rows } = await sql<{ providerId: string; competenceId: string }>`
    select provider_id, able.competence_id
    from integrations cross join ${jsonTexts(competenceIds)} as given (id)
      cross join lateral (select given.id::uuid as competence_id) as able
    where ${only === undefined ? sql`true` : sql`integrations.provider_id = ${only}`} and exists (select 1 from jobs where jobs.provider_id = integrations.provider_id
      and jobs.competence_id = able.competence_id and jobs.status = 'open')`.execute(trx);
  const refreshes = rows.map(({ providerId, competenceId }) => ({
    providerId,
    key: { competenceId },
    ...(afterMs !== undefined && { afterMs }),
  }));
  markRefreshDue(trx, deps, refreshes);
}

export async function checkCompetences(trx: Trx, given: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(given)];
  if (wanted.length === 0) return [];
  const rows = await trx
    .selectFrom("competences")
    .select("competenceId")
    .where("competenceId", "in", wanted)
    .execute();
  const errors = unknownCompetences(given, new Set(rows.map(({ competenceId }) => competenceId)));
  if (errors.length > 0) throw notStored(errors);
  return wanted;
}

export const unknownCompetences = (given: readonly string[], known: ReadonlySet<string>): FieldError[] =>
  given.flatMap((id, index) =>
    known.has(id) ? [] : [{ pointer: `/competenceIds/${index}`, message: "is not a competence" }],
  );

const notStored = (errors: FieldError[]) =>
  problem("validation_failed", { detail: "Nothing was stored.", errors });
