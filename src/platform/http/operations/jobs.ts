import { sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type {
  Booking as BookingView,
  JobCounts,
  JobStatus,
  Job as JobView,
  operations,
} from "../../../../generated/operations/types.ts";
import { problem } from "../../../contract/problem.ts";
import { IS_LIVE, OUTLET_NAME, ROLE_NAME } from "../../db/fragments.ts";
import type { Booking, Job, ShiftChange } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { acceptAndWait, awaitChange, withdrawAndWait } from "../../jobs/await-provider.ts";
import { requestCancellation } from "../../jobs/cancel.ts";
import { requestChange } from "../../jobs/change.ts";
import { unknownJob } from "../../jobs/job.ts";
import { explainJob } from "../../jobs/staffing.ts";
import { candidatesFor } from "../job-candidates.ts";
import { contains, countBeyond, countOf, page } from "../page.ts";
import { accepted, created, noContent, ok } from "../response.ts";

/** Jobs, and what candidates, employers and operators do with them. */
export function jobHandlers(deps: Deps) {
  return {
    listJobs: async ({ query }) => {
      const where = { provider_id: query.providerId, shift_id: query.shiftId, status: query.status };
      const order = { id: "job_id", where, ...ORDERS[orderOf(query)] } as const;
      const { items, ...rest } = await page(jobsThatFit(deps, query), query, order, (job) => job);
      return ok({ items: await viewsOfJobs(deps, items), ...rest });
    },
    countJobs: async ({ query }) => ok(await countJobs(deps, query.providerId)),
    listJobCandidates: async ({ path, query }) => ok(await candidatesFor(deps, path.jobId, query)),
    getJob: async ({ path }) => ok(await readJob(deps, path.jobId)),
    explainJob: async ({ path: { jobId } }) => ok(await explainJob(deps, jobId)),
    acceptJob: async ({ path, body }) => {
      const booking = await acceptAndWait(deps, { jobId: path.jobId, candidateId: body.candidateId });
      switch (booking.status) {
        case "confirmed":
          return created(viewOfBooking(booking));
        case "pending":
          return accepted(viewOfBooking(booking));
        case "released":
        case "failed":
          throw refused(`The booking was ${booking.status} (${booking.reason ?? "no reason given"}).`);
      }
    },
    withdrawBooking: async ({ path }) => {
      const outcome = await withdrawAndWait(deps, path);
      if (outcome === "kept") throw refused("The provider kept the candidate on the shift.");
      return outcome === "released" ? noContent : { status: 202 };
    },
    changeJob: async ({ path, body }) => {
      const change = await awaitChange(deps, await requestChange(deps, path.jobId, body));
      switch (change.status) {
        case "confirmed":
          return ok(await readJob(deps, path.jobId));
        case "pending":
          return accepted(await readJob(deps, path.jobId));
        case "refused":
          throw refused(`The shift was not changed (${describeRefusal(change)}).`);
      }
    },
    cancelJob: async ({ path }) => {
      await requestCancellation(deps, path.jobId);
      return accepted(await readJob(deps, path.jobId));
    },
  } satisfies Partial<Handlers<undefined>>;
}

type JobQuery = NonNullable<operations["listJobs"]["parameters"]["query"]>;

const BY_START = { column: "start_time", holds: "times" } as const;
const ORDERS = {
  newest: {},
  earliest: { first: BY_START, ascending: true },
  latest: { first: BY_START },
} as const satisfies Record<NonNullable<JobQuery["order"]>, object>;

const orderOf = ({ order, from, until }: JobQuery) =>
  order ?? (from === undefined && until === undefined ? "newest" : "earliest");

/** As the document says. */
const OWN_PEOPLE_SHOWN = 100;

const MOST_COUNTED = 10_000;

async function countJobs({ database }: Deps, providerId: string | undefined): Promise<JobCounts> {
  const counted = (status: JobStatus) =>
    countBeyond(
      MOST_COUNTED,
      sql`select 1 from jobs where status = ${sql.lit(status)}
        ${providerId === undefined ? sql`` : sql`and provider_id = ${providerId}`}`,
    );
  const { rows } = await sql<Record<keyof JobCounts, number>>`
    select ${counted("blocked_mapping")} as blocked_mapping, ${counted("open")} as open,
      ${counted("filled")} as filled`.execute(database.kysely);
  const { blocked_mapping = 0, open = 0, filled = 0 } = rows[0] ?? {};
  return {
    blocked_mapping: countOf(blocked_mapping, MOST_COUNTED),
    open: countOf(open, MOST_COUNTED),
    filled: countOf(filled, MOST_COUNTED),
  };
}

const refused = (detail: string) => problem("provider_refused", { detail });

/** The code, and the provider's status and code. */
function describeRefusal({ reason, reason_params: { status, providerCode } }: ShiftChange): string {
  return [reason, status && `status ${status}`, providerCode].filter(Boolean).join(", ");
}

/** @throws ProblemError job_not_found */
async function readJob(deps: Deps, jobId: string): Promise<JobView> {
  const job = await selectJobs(deps).where("job_id", "=", jobId).executeTakeFirst();
  const [view] = job ? await viewsOfJobs(deps, [job]) : [];
  if (!view) throw unknownJob();
  return view;
}

/** Jobs with the names of their outlets and roles, and whether their cancellation is pending. */
export function selectJobs({ database }: Deps) {
  return database.kysely
    .selectFrom("jobs")
    .selectAll()
    .select(({ selectFrom, exists }) => [
      OUTLET_NAME.as("known_outlet"),
      ROLE_NAME.as("known_role"),
      exists(
        selectFrom("pending_operations as pending")
          .select("operation_id")
          .whereRef("pending.provider_id", "=", "jobs.provider_id")
          .whereRef("pending.shift_id", "=", "jobs.shift_id")
          .where("pending.confirmed_at", "is", null),
      ).as("has_deletion"),
    ]);
}

const GROUPS = {
  active: IS_LIVE,
  not_cancelled: sql<boolean>`jobs.status <> 'cancelled'`,
} satisfies Record<NonNullable<JobQuery["group"]>, unknown>;

const NEEDS = {
  people: sql<boolean>`jobs.status in ('blocked_mapping', 'open')`,
  confirmation: sql<boolean>`exists (select 1 from bookings where bookings.provider_id = jobs.provider_id
    and bookings.job_id = jobs.job_id and bookings.status = 'pending')`,
} satisfies Record<NonNullable<JobQuery["needs"]>, unknown>;

const isFoundBy = (search: string) => sql<boolean>`(${contains(OUTLET_NAME, search)}
  or jobs.workplace_id in (select workplace_id from workplaces
    where ${contains(sql`name || ' ' || coalesce(address, '')`, search)})
  or starts_with(jobs.shift_id, ${search}) or starts_with(jobs.job_id::text, lower(${search}::text)))`;

/** The jobs of a candidate or a group, those that a search finds, and those that start within a time. */
function jobsThatFit(deps: Deps, wanted: JobQuery) {
  const { candidateId, traceId, from, until, group, search, needs, competenceId } = wanted;
  return selectJobs(deps)
    .$if(group !== undefined, (query) => query.where(GROUPS[group ?? "active"]))
    .$if(needs !== undefined, (query) => query.where(NEEDS[needs ?? "people"]))
    .$if(search !== undefined, (query) => query.where(isFoundBy(search ?? "")))
    .$if(competenceId !== undefined, (query) => query.where("jobs.competence_id", "=", competenceId ?? null))
    .$if(traceId !== undefined, (query) =>
      query.where("jobs.job_id", "in", ({ selectFrom }) =>
        selectFrom("trace_steps")
          .select("trace_steps.job_id")
          .where("trace_steps.trace_id", "=", traceId ?? ""),
      ),
    )
    .$if(candidateId !== undefined, (query) =>
      query.where("jobs.job_id", "in", ({ selectFrom }) =>
        selectFrom("bookings")
          .select("bookings.job_id")
          .where("bookings.candidate_id", "=", candidateId ?? ""),
      ),
    )
    .$if(from !== undefined, (query) => query.where("jobs.start_time", ">=", new Date(from ?? "")))
    .$if(until !== undefined, (query) => query.where("jobs.start_time", "<", new Date(until ?? "")));
}

type ListedJob = Job & { known_outlet: string | null; known_role: string | null; has_deletion: unknown };

export async function viewsOfJobs({ database }: Deps, jobs: readonly ListedJob[]): Promise<JobView[]> {
  if (jobs.length === 0) return [];
  const providers = [...new Set(jobs.map((job) => job.provider_id))];
  const ids = jobs.map((job) => job.job_id);
  const bookings = await database.kysely
    .selectFrom("bookings")
    .selectAll()
    .where("provider_id", "in", providers)
    .where("job_id", "in", ids)
    .orderBy("booking_id")
    .execute();
  const ofJob = Map.groupBy(bookings, ({ job_id }) => job_id);
  return jobs.map((job) => ({
    ...viewOf(job),
    bookings: (ofJob.get(job.job_id) ?? []).map(viewOfBooking),
  }));
}

function viewOf(job: ListedJob): Omit<JobView, "bookings"> {
  const { known_outlet: outletName, known_role: roleName } = job;
  return {
    jobId: job.job_id,
    providerId: job.provider_id,
    shiftId: job.shift_id,
    status: job.status,
    startTime: job.start_time.toISOString(),
    endTime: job.end_time.toISOString(),
    positions: job.positions,
    overfilled: job.overfilled,
    outletId: job.outlet_id,
    roleId: job.role_id,
    traceId: job.trace_id,
    warnings: job.warnings,
    ownPeople: job.own_people.slice(0, OWN_PEOPLE_SHOWN),
    ownPeopleCount: job.own_people_count,
    cancelling: job.status !== "cancelled" && Boolean(job.has_deletion),
    ...(outletName && { outletName }),
    ...(roleName && { roleName }),
    ...(job.cancelled_by !== null && { cancelledBy: job.cancelled_by }),
    ...(job.workplace_id !== null && { workplaceId: job.workplace_id }),
    ...(job.competence_id !== null && { competenceId: job.competence_id }),
  };
}

const isLive = ({ status }: Booking) => status === "pending" || status === "confirmed";

function viewOfBooking(booking: Booking): BookingView {
  return {
    bookingId: booking.booking_id,
    candidateId: booking.candidate_id,
    status: booking.status,
    traceId: booking.trace_id,
    ...(booking.provider_candidate_id !== null && { providerCandidateId: booking.provider_candidate_id }),
    ...(booking.reason !== null && { reason: booking.reason, reasonParams: booking.reason_params }),
    ...(booking.withdrawn_at !== null && isLive(booking) && { withdrawing: true }),
    ...(booking.doubt_since !== null && { inDoubtSince: booking.doubt_since.toISOString() }),
  };
}
