import { sql, type Updateable } from "kysely";
import type { ProviderPerson, Subject } from "../../../../generated/operations/types.ts";
import { jsonbOf, jsonRows } from "../../db/fragments.ts";
import { underColumns } from "../../db/names.ts";
import { providerOf } from "../../db/organisation.ts";
import type { Job, JobsTable } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { resolveIssues } from "../../issues.ts";
import { publish } from "../../stream.ts";
import { type Trx, type Writer, writeAtEnd } from "../../transaction.ts";
import type { JobState, ShiftState } from "../plan/state.ts";
import type { Write } from "../plan/writes.ts";
import { toRow } from "../stored.ts";

/** Writes all changes of the job in one statement, and returns the resulting row. */
export async function writeJob(
  trx: Trx,
  deps: Deps,
  { providerId, shiftId, job }: ShiftState,
  writes: readonly Write[],
): Promise<Job | undefined> {
  const patches = writes.flatMap((write) => (write.write === "job" ? [write.patch] : []));
  if (patches.length === 0) return job && readJob(trx, providerId, job.jobId, writes);
  const { jobId: _, ...patch }: Partial<JobState> = Object.assign({}, ...patches);
  const at = deps.now();
  const own = patch.ownPeople && ownChanges(job?.ownPeople ?? [], patch.ownPeople);
  const row = job
    ? await updateJob(trx, providerId, job.jobId, { ...toRow<Updateable<JobsTable>>(patch), updatedAt: at })
    : {
        ...toRow<Job>(patch),
        providerId,
        shiftId,
        jobId: deps.newId(),
        createdAt: at,
        updatedAt: at,
      };
  if (!job) writeAtEnd(trx, NEW_JOBS, { providerId, job: row });
  if (own) writeAtEnd(trx, OWN_PEOPLE, { providerId, jobId: row.jobId, ...own });
  publish(trx, { type: "job", jobId: row.jobId, providerId, shiftId, status: row.status });
  return row;
}

const updateJob = (
  trx: Trx,
  providerId: string,
  jobId: string,
  columns: Updateable<JobsTable>,
): Promise<Job> =>
  trx
    .updateTable("jobs")
    .set(columns)
    .where("providerId", "=", providerId)
    .where("jobId", "=", jobId)
    .returningAll()
    .executeTakeFirstOrThrow();

const NEW_JOBS: Writer<{ providerId: string; job: Job }> = {
  table: "jobs",
  write: async (trx, jobs) => {
    // Lists are JSON text in the columns.
    const rows = jobs.map(({ job: { warnings, ownPeople, ...job } }) =>
      underColumns({ ...job, warnings: asJson(warnings), ownPeople: asJson(ownPeople) }),
    );
    const columns = sql.join(Object.keys(jobs[0]?.job ?? {}).map((column) => sql.ref(column)));
    await sql`
      insert into jobs (${columns})
      select ${columns} from jsonb_populate_recordset(null::jobs, ${jsonbOf(rows)})`.execute(trx);
  },
};

/** The candidates who are new among the provider's own people, and those who are no longer. Undefined on most shifts: no candidate is. */
function ownChanges(before: readonly ProviderPerson[], after: readonly ProviderPerson[]) {
  const [was, is] = [candidatesOf(before), candidatesOf(after)];
  const added = is.filter((candidateId) => !was.includes(candidateId));
  const removed = was.filter((candidateId) => !is.includes(candidateId));
  return added.length + removed.length > 0 ? { added, removed } : undefined;
}

const candidatesOf = (people: readonly ProviderPerson[]) =>
  people.flatMap(({ candidateId }) => candidateId ?? []);

interface OwnChanges {
  providerId: string;
  jobId: string;
  added: string[];
  removed: string[];
}

/** Adds first: an erasure locks the person before these rows. */
const OWN_PEOPLE: Writer<OwnChanges> = {
  table: "own_people",
  write: async (trx, changes, organisation) => {
    await sql`
      insert into own_people (provider_id, job_id, candidate_id)
      select "providerId", "jobId", candidate
      from ${jsonRows(changes)} as changed ("providerId" uuid, "jobId" uuid, added uuid[]), unnest(added) as candidate
      order by candidate on conflict do nothing`.execute(trx);
    await sql`
      delete from own_people using ${jsonRows(changes)} as changed ("providerId" uuid, "jobId" uuid, removed uuid[])
      where own_people.provider_id = ${providerOf(organisation, "changed.providerId")} and own_people.job_id = "jobId" and candidate_id = any(removed)`.execute(
      trx,
    );
  },
};

const asJson = (value: unknown): unknown => (typeof value === "string" ? JSON.parse(value) : value);

/** Writes that need the row of the job. */
const ABOUT_JOB = ["notify", "book", "read_booked", "offer", "withdraw_offers", "booking", "step"];

async function readJob(
  trx: Trx,
  providerId: string,
  jobId: string,
  writes: readonly Write[],
): Promise<Job | undefined> {
  if (!writes.some(({ write }) => ABOUT_JOB.includes(write))) return undefined;
  return trx
    .selectFrom("jobs")
    .selectAll()
    .where("providerId", "=", providerId)
    .where("jobId", "=", jobId)
    .executeTakeFirst();
}

interface Mapped {
  deps: Pick<Deps, "now">;
  providerId: string;
  subject: Subject;
}

/** Resolves the issue about an outlet or a role that is not mapped, at the end of the transaction, unless a job waits for it. */
export const resolveMapping = (trx: Trx, mapped: Mapped): void => writeAtEnd(trx, MAPPINGS, mapped);

/** After the jobs of the transaction are written. */
const MAPPINGS: Writer<Mapped> = {
  table: "issues",
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
