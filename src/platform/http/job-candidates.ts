import { type RawBuilder, sql } from "kysely";
import type { JobCandidate, JobCandidatePage } from "../../../generated/operations/types.ts";
import { maskPersonalNumber } from "../../contract/personal-number.ts";
import {
  FIRST_NAME,
  hasCompetence,
  hasOffer,
  isOwnPerson,
  LAST_NAME,
  ofOrganisation,
  readBusy,
} from "../candidates/eligible.ts";
import { HOLDS_SEAT } from "../db/fragments.ts";
import type { Job } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { unknownJob } from "../jobs/job.ts";
import { contains, cursorTo, DEFAULT_LIMIT, type PageQuery, positionOf } from "./page.ts";

interface Query extends PageQuery {
  search?: string;
}

/**
 * A page of the candidates for a job who are valid for its organisation. Each group is read on its own and only while the page has room, so that a page reads no more of the
 * candidates than it shows.
 * @throws ProblemError job_not_found
 */
export async function candidatesFor(
  deps: Deps,
  jobId: string,
  { search, limit = DEFAULT_LIMIT, cursor }: Query,
): Promise<JobCandidatePage> {
  const { kysely } = deps.database;
  const jobs = kysely.selectFrom("jobs").selectAll().where("jobId", "=", jobId);
  const job = await jobs.executeTakeFirstOrThrow(unknownJob);
  const [rank = 2, after] = cursor === undefined ? [] : positionOf(cursor, "ranks");
  const rows: Row[] = [];
  for (let group = Number(rank); group >= 0 && rows.length <= limit; group -= 1) {
    const before = group === rank ? after : undefined;
    const found = await sql<Row>`
      select candidates.candidate_id, personal_number_sealed, ${FIRST_NAME} as first_name, ${LAST_NAME} as last_name, ${sql.lit(group)} as rank,
        ${isAble(job)} as able, ${isBooked(job)} as booked, ${isOwnPerson(CANDIDATE, job)} as assigned
      from candidates ${ofOrganisation(job.providerId)}
      where erased_at is null and (is_shared or memberships.candidate_id is not null) and ${groupOf(job, group)}
        and ${contains(sql`(${FIRST_NAME}) || ' ' || (${LAST_NAME})`, search)}
        ${before === undefined ? sql`` : sql`and candidates.candidate_id < ${before}`}
      order by candidates.candidate_id desc limit ${limit + 1 - rows.length}`.execute(kysely);
    rows.push(...found.rows);
  }
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const ids = shown.map(({ candidateId }) => candidateId);
  const busy = await readBusy(kysely, ids, job);
  const items = shown.map((row) => viewOf(deps, row, busy.has(row.candidateId)));
  return rows.length <= limit || !last
    ? { items }
    : { items, nextCursor: cursorTo([last.rank, last.candidateId]) };
}

interface Row {
  candidateId: string;
  personalNumberSealed: string | null;
  firstName: string;
  lastName: string;
  rank: number;
  able: boolean;
  booked: boolean;
  assigned: boolean;
}

const CANDIDATE = sql.ref("candidates.candidateId");

/** Those with an offer, the others with the competence, and everyone else. */
function groupOf(job: Job, group: number): RawBuilder<boolean> {
  const [offered, able] = [hasOffer(CANDIDATE, job), isAble(job)];
  if (group === 2) return offered;
  return group === 1 ? sql<boolean>`(${able} and not ${offered})` : sql<boolean>`not (${able} or ${offered})`;
}

const isAble = ({ providerId, competenceId }: Job) =>
  hasCompetence(CANDIDATE, providerId, sql`${competenceId}::uuid`);

/** The seat on this job does not make a person busy for it. */
const isBooked = ({ providerId, jobId }: Job) => sql<boolean>`exists (select 1 from bookings
  where bookings.provider_id = ${providerId} and bookings.job_id = ${jobId}
    and bookings.candidate_id = candidates.candidate_id and ${HOLDS_SEAT})`;

function viewOf({ numbers }: Pick<Deps, "numbers">, row: Row, isBusy: boolean): JobCandidate {
  return {
    candidateId: row.candidateId,
    personalNumber: maskPersonalNumber(numbers.open(row)),
    firstName: row.firstName,
    lastName: row.lastName,
    offered: row.rank === 2,
    able: row.able,
    busy: isBusy && !row.booked && !row.assigned,
    booked: row.booked,
    assigned: row.assigned,
  };
}
