import { type RawBuilder, sql } from "kysely";
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
import { view } from "../../db/names.ts";
import type { Booking, Job, ShiftChange } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { acceptAndWait, awaitChange, endBooking, withdrawAndWait } from "../../jobs/accept.ts";
import { requestCancellation, requestChange } from "../../jobs/change.ts";
import { unknownJob } from "../../jobs/job.ts";
import { explainJob } from "../../jobs/staffing.ts";
import { accepted, created, noContent, ok } from "../handlers.ts";
import { candidatesFor } from "../job-candidates.ts";
import { contains, countBeyond, countOf, page } from "../page.ts";

/** Jobs, and what candidates, employers and operators do with them. */
export function jobHandlers(deps: Deps) {
  return {
    listJobs: async ({ query }) => {
      const where = { providerId: query.providerId, shiftId: query.shiftId, status: query.status };
      const order = { id: "jobId", where, ...ORDERS[orderOf(query)] } as const;
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
    endBooking: async ({ path, body }) => {
      await endBooking(deps, path, body.reason);
      return noContent;
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

const BY_START = { column: "startTime", holds: "times" } as const;
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
function describeRefusal({ reason, reasonParams: { status, providerCode } }: ShiftChange): string {
  return [reason, status && `status ${status}`, providerCode].filter(Boolean).join(", ");
}

/** @throws ProblemError job_not_found */
async function readJob(deps: Deps, jobId: string): Promise<JobView> {
  const job = await selectJobs(deps).where("jobId", "=", jobId).executeTakeFirst();
  const [view] = job ? await viewsOfJobs(deps, [job]) : [];
  if (!view) throw unknownJob();
  return view;
}

/** Jobs with the names of their outlets and roles, and whether their cancellation is pending. */
function selectJobs({ database }: Deps) {
  return database.kysely
    .selectFrom("jobs")
    .selectAll()
    .select(({ selectFrom, exists }) => [
      OUTLET_NAME.as("knownOutlet"),
      ROLE_NAME.as("knownRole"),
      exists(
        selectFrom("pendingOperations as pending")
          .select("operationId")
          .whereRef("pending.providerId", "=", "jobs.providerId")
          .whereRef("pending.shiftId", "=", "jobs.shiftId")
          .where("pending.confirmedAt", "is", null),
      ).as("hasDeletion"),
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

type Filters = Omit<Required<JobQuery>, "limit" | "cursor" | "order" | "providerId" | "shiftId" | "status">;

/** What each parameter requires of a job, beside those that are the value of a column. */
const FILTERS: { [Name in keyof Filters]: (value: Filters[Name]) => RawBuilder<boolean> } = {
  group: (group) => GROUPS[group],
  needs: (needs) => NEEDS[needs],
  search: isFoundBy,
  competenceId: (id) => sql`jobs.competence_id = ${id}`,
  traceId: (id) => sql`jobs.job_id in (select trace_steps.job_id from trace_steps where trace_id = ${id})`,
  candidateId: (id) => sql`jobs.job_id in (select bookings.job_id from bookings where candidate_id = ${id})`,
  from: (time) => sql`jobs.start_time >= ${new Date(time)}`,
  until: (time) => sql`jobs.start_time < ${new Date(time)}`,
};

function jobsThatFit(deps: Deps, wanted: JobQuery) {
  let query = selectJobs(deps);
  for (const name of Object.keys(FILTERS) as (keyof Filters)[])
    if (wanted[name] !== undefined) query = query.where(FILTERS[name](wanted[name] as never));
  return query;
}

type ListedJob = Job & { knownOutlet: string | null; knownRole: string | null; hasDeletion: unknown };

async function viewsOfJobs({ database }: Deps, jobs: readonly ListedJob[]): Promise<JobView[]> {
  if (jobs.length === 0) return [];
  const providers = [...new Set(jobs.map((job) => job.providerId))];
  const ids = jobs.map((job) => job.jobId);
  const bookings = await database.kysely
    .selectFrom("bookings")
    .selectAll()
    .where("providerId", "in", providers)
    .where("jobId", "in", ids)
    .orderBy("bookingId")
    .execute();
  const ofJob = Map.groupBy(bookings, ({ jobId }) => jobId);
  return jobs.map((job) => ({
    ...viewOf(job),
    bookings: (ofJob.get(job.jobId) ?? []).map(viewOfBooking),
  }));
}

function viewOf(job: ListedJob): Omit<JobView, "bookings"> {
  const { knownOutlet: outletName, knownRole: roleName } = job;
  return {
    ...view(job, ["jobId", "providerId", "shiftId", "status", "startTime", "endTime", "positions"]),
    ...view(job, ["overfilled", "outletId", "roleId", "traceId", "warnings", "ownPeopleCount"]),
    ...view(job, ["cancelledBy", "workplaceId", "competenceId"]),
    ownPeople: job.ownPeople.slice(0, OWN_PEOPLE_SHOWN),
    cancelling: job.status !== "cancelled" && Boolean(job.hasDeletion),
    ...(outletName && { outletName }),
    ...(roleName && { roleName }),
  };
}

const isLive = ({ status }: Booking) => status === "pending" || status === "confirmed";

function viewOfBooking(booking: Booking): BookingView {
  return {
    ...view(booking, ["bookingId", "candidateId", "status", "traceId", "providerCandidateId", "reason"]),
    ...(booking.reason !== null && { reasonParams: booking.reasonParams }),
    ...(booking.withdrawnAt !== null && isLive(booking) && { withdrawing: true }),
    ...(booking.doubtSince !== null && { inDoubtSince: booking.doubtSince.toISOString() }),
  };
}
