import { expect } from "vitest";
import type {
  Booking,
  Event,
  Integration,
  Issue,
  Job,
  Notification,
} from "../../../generated/operations/types.ts";
import { type Operations, ok } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";
import type { Provider } from "./provider.ts";
import type { ShiftValues } from "./provider-desk.ts";

/** The status, and the booking's status or the problem's code. */
export interface Reply {
  status: number;
  code: string | undefined;
}

/** What a test does through the operations API, and what it reads there. */
export interface Actions {
  /** A new shift at the provider, announced, and its job. */
  open(values?: ShiftValues): Promise<Job>;
  /** As many at once. */
  openAll(count: number, values?: ShiftValues): Promise<Job[]>;
  accept(job: Job, person: Person): Promise<Reply>;
  /** Accepts, and waits until the booking is confirmed. */
  book(job: Job, person: Person): Promise<void>;
  withdraw(job: Job, person: Person): Promise<Reply>;
  cancel(job: Job): Promise<Reply>;
  change(job: Job, body: { startTime?: string; endTime?: string; positions?: number }): Promise<Reply>;
  suspend(): Promise<void>;
  activate(): Promise<void>;
  integration(): Promise<Integration>;
  /** @throws when there is none. */
  job(shiftId: string): Promise<Job>;
  findJob(shiftId: string): Promise<Job | undefined>;
  jobs(): Promise<Job[]>;
  /** The person's latest booking on the job. */
  booking(job: Job, person: Person): Promise<Booking | undefined>;
  /** Oldest first. */
  events(query?: { shiftId?: string; traceId?: string }): Promise<Event[]>;
  /** Open ones. */
  issues(): Promise<Issue[]>;
  issueCodes(): Promise<string[]>;
  /** Oldest first. */
  notifications(job: Job, kind?: Notification["kind"]): Promise<Notification[]>;
}

interface Parts {
  operations: Operations;
  provider: Provider;
}

export function actionsOf(parts: Parts): Actions {
  const reading = readingOf(parts);
  const staffing = staffingOf(parts.operations);
  const path = { providerId: parts.provider.providerId };
  const { provider, operations } = parts;
  return {
    ...reading,
    ...staffing,
    open: async (values) => {
      const { id } = provider.createShift(values);
      await provider.announce("shift.create", id);
      await expect.poll(() => reading.findJob(id)).toBeDefined();
      return reading.job(id);
    },
    openAll: async (count, values) => {
      const shiftIds = Array.from({ length: count }, () => provider.createShift(values).id);
      await Promise.all(shiftIds.map((id) => provider.announce("shift.create", id)));
      const opened = async () => (await reading.jobs()).filter(({ shiftId }) => shiftIds.includes(shiftId));
      await expect.poll(async () => (await opened()).length).toBe(count);
      return opened();
    },
    book: async (job, person) => {
      await staffing.accept(job, person);
      await expect.poll(async () => (await reading.booking(job, person))?.status).toBe("confirmed");
    },
    suspend: async () => void ok(await operations.suspendIntegration({ params: { path } })),
    activate: async () => void ok(await operations.activateIntegration({ params: { path } })),
  };
}

type Staffing = Pick<Actions, "accept" | "withdraw" | "cancel" | "change">;

function staffingOf(operations: Operations): Staffing {
  return {
    accept: async ({ jobId }, { candidateId }) => {
      const reply = await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
      return { status: reply.response.status, code: reply.data?.status ?? reply.error?.code };
    },
    withdraw: async ({ jobId }, { candidateId }) => {
      const reply = await operations.withdrawBooking({ params: { path: { jobId, candidateId } } });
      return { status: reply.response.status, code: reply.error?.code };
    },
    cancel: async ({ jobId }) => {
      const reply = await operations.cancelJob({ params: { path: { jobId } } });
      return { status: reply.response.status, code: reply.error?.code };
    },
    change: async ({ jobId }, body) => {
      const reply = await operations.changeJob({ params: { path: { jobId } }, body });
      return { status: reply.response.status, code: reply.error?.code };
    },
  };
}

type Combined = "open" | "openAll" | "book" | "suspend" | "activate";
type Reading = Omit<Actions, keyof Staffing | Combined>;

function readingOf({ operations, provider: { providerId } }: Parts): Reading {
  const jobs = (query: { shiftId?: string } = {}): Promise<Job[]> =>
    everyPage((page) => operations.listJobs({ params: { query: { providerId, ...query, ...page } } }));
  const findJob = async (shiftId: string) => (await jobs({ shiftId }))[0];
  const issues = () =>
    everyPage<Issue>((page) => operations.listIssues({ params: { query: { providerId, ...page } } }));
  return {
    jobs: () => jobs(),
    findJob,
    issues,
    issueCodes: async () => (await issues()).map(({ code }) => code).sort(),
    job: async (shiftId) => {
      const job = await findJob(shiftId);
      if (!job) throw new Error(`there is no job for the shift ${shiftId}`);
      return job;
    },
    integration: async () => ok(await operations.getIntegration({ params: { path: { providerId } } })),
    booking: async ({ jobId }, { candidateId }) => {
      const { bookings } = ok(await operations.getJob({ params: { path: { jobId } } }));
      return bookings.findLast((booking) => booking.candidateId === candidateId);
    },
    events: async (query) => {
      const events = await everyPage<Event>((page) =>
        operations.listEvents({ params: { query: { providerId, ...query, ...page } } }),
      );
      return events.reverse();
    },
    notifications: async ({ jobId }, kind) => {
      const all = await everyPage<Notification>((page) =>
        operations.listNotifications({ params: { query: { jobId, ...page } } }),
      );
      return all.reverse().filter((each) => kind === undefined || each.kind === kind);
    },
  };
}

interface Page<T> {
  items: T[];
  nextCursor?: string;
}

type PageQuery = { limit: number; cursor?: string };

const LIMIT = 200;

/** Every item of a list, in the list's order. */
export async function everyPage<T>(
  read: (
    query: PageQuery,
  ) => Promise<
    { response: Response } & ({ data: Page<T>; error?: never } | { data?: never; error: unknown })
  >,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = ok(await read({ limit: LIMIT, ...(cursor !== undefined && { cursor }) }));
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}
