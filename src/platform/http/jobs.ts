import type { Kysely } from "kysely";
import type { Handlers } from "../../../generated/operations/server.ts";
import type { Booking as BookingView, Job as JobView } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import type { Booking, Job, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { accept } from "../jobs/accept.ts";
import { requestCancellation } from "../jobs/cancel.ts";
import { bookingAfter } from "../jobs/outcome.ts";
import { withdraw } from "../jobs/withdraw.ts";
import { page } from "./pages.ts";

type Jobs = Pick<Handlers<undefined>, "listJobs" | "getJob" | "acceptJob" | "withdrawBooking" | "cancelJob">;

/** Jobs, and what candidates and employers do with them. */
export function jobHandlers(deps: Deps): Jobs {
  return {
    listJobs: async ({ query }) => {
      const where = { provider_id: query.providerId, shift_id: query.shiftId, status: query.status };
      const all = deps.database.kysely.selectFrom("jobs").selectAll();
      const { items, ...rest } = await page(all, query, { id: "job_id", where }, (job) => job);
      return { status: 200, body: { items: await viewsOf(deps, items), ...rest } };
    },
    getJob: async ({ path }) => ({ status: 200, body: await readJob(deps, path.jobId) }),
    acceptJob: async ({ path, body }) => acceptJob(deps, path.jobId, body.candidateId),
    withdrawBooking: async ({ path }) => {
      const withdrawn = await withdraw(deps, path);
      const isOver = ({ status }: Booking) => status === "released" || status === "failed";
      const isKept = ({ status, withdrawn_at }: Booking) => status === "confirmed" && withdrawn_at === null;
      const booking = await bookingAfter(deps, withdrawn, (seen) => isOver(seen) || isKept(seen));
      if (isKept(booking))
        throw problem("provider_refused", { detail: "The provider kept the candidate on the shift." });
      return { status: isOver(booking) ? 204 : 202 };
    },
    cancelJob: async ({ path }) => {
      await requestCancellation(deps, path.jobId);
      return { status: 202, body: await readJob(deps, path.jobId) };
    },
  };
}

async function acceptJob(deps: Deps, jobId: string, candidateId: string) {
  const reserved = await accept(deps, { jobId, candidateId });
  const booking = await bookingAfter(deps, reserved, ({ status }) => status !== "pending");
  switch (booking.status) {
    case "confirmed":
      return { status: 201, body: viewOfBooking(booking) } as const;
    case "pending":
      return { status: 202, body: viewOfBooking(booking) } as const;
    case "released":
    case "failed":
      throw problem("provider_refused", {
        detail: `The booking was ${booking.status} (${booking.reason ?? "no reason given"}).`,
      });
  }
}

/** @throws ProblemError job_not_found */
export async function readJob(deps: Deps, jobId: string): Promise<JobView> {
  const job = await deps.database.kysely
    .selectFrom("jobs")
    .selectAll()
    .where("job_id", "=", jobId)
    .executeTakeFirst();
  const [view] = job ? await viewsOf(deps, [job]) : [];
  if (!view) throw problem("job_not_found", { detail: "There is no job with this jobId." });
  return view;
}

async function viewsOf({ database }: Deps, jobs: readonly Job[]): Promise<JobView[]> {
  if (jobs.length === 0) return [];
  const { kysely } = database;
  const ids = jobs.map((job) => job.job_id);
  const bookings = await kysely
    .selectFrom("bookings")
    .selectAll()
    .where("job_id", "in", ids)
    .orderBy("booking_id")
    .execute();
  const cancelling = await kysely
    .selectFrom("jobs")
    .innerJoin("pending_operations as pending", (join) =>
      join
        .onRef("pending.provider_id", "=", "jobs.provider_id")
        .onRef("pending.shift_id", "=", "jobs.shift_id"),
    )
    .select("jobs.job_id")
    .where("jobs.job_id", "in", ids)
    .where("jobs.status", "!=", "cancelled")
    .where("pending.confirmed_at", "is", null)
    .execute();
  const isCancelling = new Set(cancelling.map(({ job_id }) => job_id));
  const names = await namesOf(kysely, ids);
  return jobs.map((job) => ({
    ...viewOf(job),
    ...names.get(job.job_id),
    cancelling: isCancelling.has(job.job_id),
    bookings: bookings.filter((booking) => booking.job_id === job.job_id).map(viewOfBooking),
  }));
}

/** A provider that names nothing in its shifts names it in its lists. What is known by its id only has that for a name there. */
async function namesOf(kysely: Kysely<Schema>, ids: readonly string[]) {
  const rows = await kysely
    .selectFrom("jobs")
    .leftJoin("outlets", (join) =>
      join
        .onRef("outlets.provider_id", "=", "jobs.provider_id")
        .onRef("outlets.outlet_id", "=", "jobs.outlet_id"),
    )
    .leftJoin("roles", (join) =>
      join.onRef("roles.provider_id", "=", "jobs.provider_id").onRef("roles.role_id", "=", "jobs.role_id"),
    )
    .select(["jobs.job_id", "jobs.outlet_id", "jobs.outlet_name", "jobs.role_id", "jobs.role_name"])
    .select(["outlets.name as listed_outlet", "roles.name as listed_role"])
    .where("jobs.job_id", "in", ids)
    .execute();
  return new Map(
    rows.map((row) => {
      const outletName = row.outlet_name ?? unlessId(row.listed_outlet, row.outlet_id);
      const roleName = row.role_name ?? unlessId(row.listed_role, row.role_id);
      return [row.job_id, { ...(outletName && { outletName }), ...(roleName && { roleName }) }] as const;
    }),
  );
}

const unlessId = (name: string | null, id: string) => (name === id ? undefined : name);

function viewOf(job: Job): Omit<JobView, "bookings" | "cancelling"> {
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
    ownPeople: job.own_people,
    ownPeopleCount: job.own_people_count,
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
