import { sql } from "kysely";
import type { CompetenceOfMany, FieldError } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { changesOf } from "../access/audit.ts";
import { jsonTexts } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { resolveIssues } from "../issues.ts";
import type { Trx } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { hasCompetence } from "./membership.ts";

interface Ability {
  candidate_id: string;
  competence_id: string;
}

/** Returns for how many people it changed something. */
export async function setCompetence(
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
    .insertInto("candidate_competences")
    .values(able)
    .onConflict((conflict) => conflict.doNothing())
    .returning(["candidate_id", "competence_id"])
    .execute();
  await offerTo(trx, deps, [...new Set(added.map(({ competence_id }) => competence_id))]);
  return [...new Set(added.map(({ candidate_id }) => candidate_id))];
}

export async function offerTo(trx: Trx, deps: Deps, competenceIds: readonly string[]): Promise<void> {
  const { rows } = await sql<{ providerId: string; competenceId: string }>`
    select provider_id as "providerId", able.competence_id as "competenceId"
    from integrations cross join ${jsonTexts(competenceIds)} as given (id)
      cross join lateral (select given.id::uuid as competence_id) as able
    where exists (select 1 from jobs where jobs.provider_id = integrations.provider_id
      and jobs.competence_id = able.competence_id and jobs.status = 'open')`.execute(trx);
  const refreshes = rows.map(({ providerId, competenceId }) => ({ providerId, key: { competenceId } }));
  markRefreshDue(trx, deps, refreshes);
}

export async function checkCompetences(trx: Trx, given: readonly string[]): Promise<string[]> {
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

export const unknownCompetences = (given: readonly string[], known: ReadonlySet<string>): FieldError[] =>
  given.flatMap((id, index) =>
    known.has(id) ? [] : [{ pointer: `/competenceIds/${index}`, message: "is not a competence" }],
  );

const notStored = (errors: FieldError[]) =>
  problem("validation_failed", { detail: "Nothing was stored.", errors });
