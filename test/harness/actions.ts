import type {
  Booking,
  Event,
  Integration,
  Issue,
  Job,
  JobChange,
  Notification,
  TraceStep,
} from "../../generated/operations/types.ts";
import { everyPage, type Operations, ok } from "./operations.ts";

/** The status of a response, and the booking's status or the problem's code. */
export interface Reply {
  status: number;
  code: string | undefined;
}

type JobId = Pick<Job, "jobId">;
type CandidateId = Pick<Booking, "candidateId">;

interface EventQuery {
  shiftId?: string;
  traceId?: string;
  status?: Event["status"];
}

/** The actions and reads of a test on one organisation through the operations API. */
export interface Actions {
  suspend(): Promise<void>;
  activate(): Promise<void>;
  integration(): Promise<Integration>;
  accept(job: JobId, person: CandidateId): Promise<Reply>;
  withdraw(job: JobId, person: CandidateId): Promise<Reply>;
  cancel(job: JobId): Promise<Reply>;
  change(job: JobId, values: JobChange): Promise<Reply>;
  /** @throws when it does not exist */
  job(shiftId: string): Promise<Job>;
  findJob(shiftId: string): Promise<Job | undefined>;
  jobs(): Promise<Job[]>;
  /** Returns the person's latest booking on the job. */
  booking(job: JobId, person: CandidateId): Promise<Booking | undefined>;
  /** Oldest first. */
  events(query?: EventQuery): Promise<Event[]>;
  /** @throws when it does not exist */
  event(traceId: string): Promise<Event>;
  /** The open issues. */
  issues(): Promise<Issue[]>;
  /** The codes of the open issues, sorted. */
  issueCodes(): Promise<string[]>;
  /** The notifications of a job, oldest first. */
  notifications(job: JobId, kind?: Notification["kind"]): Promise<Notification[]>;
  steps(traceId: string): Promise<TraceStep[]>;
  /** `step: code`, oldest first. */
  verdicts(traceId: string): Promise<string[]>;
}

export function actionsOf(operations: Operations, providerId: string): Actions {
  const params = { path: { providerId } };
  return {
    suspend: async () => void ok(await operations.suspendIntegration({ params })),
    activate: async () => void ok(await operations.activateIntegration({ params })),
    integration: async () => ok(await operations.getIntegration({ params })),
    ...staffing(operations),
    ...readingJobs(operations, providerId),
    ...readingEvents(operations, providerId),
  };
}

function staffing(operations: Operations): Pick<Actions, "accept" | "withdraw" | "cancel" | "change"> {
  return {
    accept: async ({ jobId }, { candidateId }) => {
      const result = await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
      return { status: result.response.status, code: result.data?.status ?? result.error?.code };
    },
    withdraw: async ({ jobId }, { candidateId }) =>
      replyOf(await operations.withdrawBooking({ params: { path: { jobId, candidateId } } })),
    cancel: async ({ jobId }) => replyOf(await operations.cancelJob({ params: { path: { jobId } } })),
    change: async ({ jobId }, body) =>
      replyOf(await operations.changeJob({ params: { path: { jobId } }, body })),
  };
}

const replyOf = (result: { response: Response; error?: { code?: string | undefined } }): Reply => ({
  status: result.response.status,
  code: result.error?.code,
});

type ReadingJobs = Pick<Actions, "job" | "findJob" | "jobs" | "booking" | "notifications">;

function readingJobs(operations: Operations, providerId: string): ReadingJobs {
  const jobs = (query: { shiftId?: string }): Promise<Job[]> =>
    everyPage((page) => operations.listJobs({ params: { query: { providerId, ...query, ...page } } }));
  const findJob = async (shiftId: string) => (await jobs({ shiftId }))[0];
  return {
    jobs: () => jobs({}),
    findJob,
    job: async (shiftId) => existing(await findJob(shiftId), `job for the shift ${shiftId}`),
    booking: async ({ jobId }, { candidateId }) => {
      const { bookings } = ok(await operations.getJob({ params: { path: { jobId } } }));
      return bookings.findLast((booking) => booking.candidateId === candidateId);
    },
    notifications: async ({ jobId }, kind) => {
      const all = await everyPage<Notification>((page) =>
        operations.listNotifications({ params: { query: { jobId, ...page } } }),
      );
      return all.reverse().filter((each) => kind === undefined || each.kind === kind);
    },
  };
}

type ReadingEvents = Pick<Actions, "events" | "event" | "issues" | "issueCodes" | "steps" | "verdicts">;

function readingEvents(operations: Operations, providerId: string): ReadingEvents {
  const events: Actions["events"] = async (query) => {
    const newestFirst = await everyPage<Event>((page) =>
      operations.listEvents({ params: { query: { providerId, ...query, ...page } } }),
    );
    return newestFirst.reverse();
  };
  const issues = () =>
    everyPage<Issue>((page) => operations.listIssues({ params: { query: { providerId, ...page } } }));
  const steps = async (traceId: string) =>
    ok(await operations.getTrace({ params: { path: { traceId } } })).steps;
  return {
    events,
    event: async (traceId) => existing((await events({ traceId }))[0], `event of the trace ${traceId}`),
    issues,
    issueCodes: async () => (await issues()).map(({ code }) => code).sort(),
    steps,
    verdicts: async (traceId) =>
      (await steps(traceId)).map(({ step, verdict }) => `${step}: ${verdict.code}`),
  };
}

function existing<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`no ${what}`);
  return value;
}
