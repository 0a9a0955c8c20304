import { sql } from "kysely";
import type { Subject } from "../../../../generated/operations/types.ts";
import { jsonRows } from "../../db/fragments.ts";
import type { Deps } from "../../deps.ts";
import { resolveIssues } from "../../issues.ts";
import { type Trx, type Writer, writeAtEnd } from "../../transaction.ts";

interface Mapped {
  deps: Pick<Deps, "now">;
  providerId: string;
  subject: Subject;
}

/** Resolves the issue about an outlet or a role that is not mapped, at the end of the transaction, unless a job waits for it. */
export const resolveMapping = (trx: Trx, mapped: Mapped): void => writeAtEnd(trx, MAPPINGS, mapped);

/** After the jobs of the transaction are written. */
const MAPPINGS: Writer<Mapped> = {
  order: 8,
  isLast: true,
  write: async (trx, all) => {
    for (const [providerId, group] of Map.groupBy(all, (each) => each.providerId))
      await resolveUnneeded(trx, providerId, group);
  },
};

async function resolveUnneeded(trx: Trx, providerId: string, group: readonly Mapped[]): Promise<void> {
  const subjects = group.map(({ subject }) => ({ subject }));
  const isAbout = sql<boolean>`resolved_at is null and code in ('outlet_not_mapped', 'role_not_mapped')
    and subject in (select subject from ${jsonRows(subjects)} as mapped (subject jsonb))`;
  // A statement of its own: the next one then sees the jobs of the transactions that held the issues.
  const { rows } = await sql`
    select issue_id from issues where provider_id = ${providerId} and ${isAbout}
    order by issue_id for update`.execute(trx);
  const [first] = group;
  if (rows.length === 0 || !first) return;
  const isUnneeded = sql<boolean>`not exists (select 1 from jobs where jobs.provider_id = ${providerId}
    and jobs.status = 'blocked_mapping'
    and (jobs.workplace_id is null and jobs.outlet_id = subject ->> 'outletId'
      or jobs.competence_id is null and jobs.role_id = subject ->> 'roleId'))`;
  await resolveIssues(trx, first.deps, { providerId, where: sql<boolean>`${isAbout} and ${isUnneeded}` });
}
