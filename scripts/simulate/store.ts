import type {
  EventStatus,
  IntegrationState,
  IssueCode,
  NotificationKind,
  Subject,
} from "../../generated/operations/types.ts";
import type { PersonFault, Routes } from "../../src/platform/db/schema.ts";
import {
  type BookingState,
  type ChangeState,
  type JobState,
  type KnownShift,
  NEW_BOOKING,
} from "../../src/platform/shifts/plan/state.ts";

// The platform's tables as rows in memory. Times are milliseconds since 1970.

export interface ShiftRow extends Omit<KnownShift, "hasIssues"> {
  shiftId: string;
  believedAt: number;
  /** When it was last believed to be there. */
  foundAt: number;
}

export interface JobRow extends JobState {
  shiftId: string;
  updatedAt: number;
}

/** Whether a job is neither cancelled nor over. */
export const isLive = (job: JobRow | undefined): boolean =>
  job !== undefined && ["blocked_mapping", "open", "filled"].includes(job.status);

export interface BookingRow extends Omit<BookingState, "person"> {
  shiftId: string;
  createdAt: number;
  updatedAt: number;
  /** The provider put the person on the shift. */
  isMoved?: true;
}

/** A booking, as an accept makes it. */
export const newBooking = ({ shiftId, traceId }: JobRow, candidateId: string, now: number) => ({
  ...NEW_BOOKING,
  shiftId,
  candidateId,
  traceId,
  createdAt: now,
  updatedAt: now,
});

export interface PersonRow {
  id: string | null;
  /** The order in which ids became known. */
  knownAs: number;
  createSentAt: number | null;
  idempotencyKey: string | null;
  fault: PersonFault | null;
}

export interface OperationRow {
  operationId: string;
  shiftId: string;
  traceId: string;
  sentAt: number | null;
  expiresAt: number;
  consumedAt: number | null;
  consumedBy: string | null;
  confirmedAt: number | null;
}

export interface ChangeRow extends ChangeState {
  shiftId: string;
  status: "pending" | "confirmed" | "refused";
}

export interface EventRow {
  eventId: string;
  shiftId: string;
  event: string;
  traceId: string;
  status: EventStatus;
  receivedAt: number;
  isReplayed: boolean;
  isRead: boolean;
}

export interface IssueRow {
  code: IssueCode;
  subject: string;
  shiftId: string | undefined;
  isOpen: boolean;
}

export interface NotificationRow {
  shiftId: string;
  candidateId: string;
  kind: NotificationKind;
  changeKey: string;
  startTime: number;
  endTime: number;
  reason: string | undefined;
  at: number;
  isWithdrawn: boolean;
}

export interface WorkRow {
  kind: "shift" | "person" | "probe";
  key: string;
  priority: number;
  dueAt: number;
  notBefore: number | null;
  attempts: number;
  claim: number | null;
  revision: number;
}

/** The next state of claimed work. */
export interface Rest {
  afterMs?: number | undefined;
  priority: number;
  attempts: number;
  isFirm?: boolean;
}

/** How long work waits at most whose attempt failed while a hint arrived. */
const HINTED_MS = 1_000;

/** The competence of each role: the first candidate lacks the second one. */
export const COMPETENCE_OF_ROLE: Record<string, string> = { r0: "k0", r1: "k1" };

export class Store {
  integration = {
    state: "active" as IntegrationState,
    implausibleSince: null as number | null,
    pausedSince: null as number | null,
    heldSince: null as number | null,
    absenceAcceptedUntil: null as number | null,
    listsBooked: false,
    routes: {} as Routes,
  };
  readonly shifts = new Map<string, ShiftRow>();
  readonly jobs = new Map<string, JobRow>();
  readonly bookings: BookingRow[] = [];
  /** By candidate. */
  readonly people = new Map<string, PersonRow>();
  /** Since when a candidate is one of the provider's own people, by shift and candidate. */
  readonly ownSince = new Map<string, number>();
  operations: OperationRow[] = [];
  readonly changes: ChangeRow[] = [];
  readonly events: EventRow[] = [];
  readonly issues: IssueRow[] = [];
  readonly notifications: NotificationRow[] = [];
  readonly outlets = new Map<string, string | null>();
  readonly competences = new Map<string, ReadonlySet<string>>();
  readonly work = new Map<string, WorkRow>();
  lastId = 0;

  /** Ids grow, as UUIDv7 do. */
  newId(prefix: string): string {
    this.lastId += 1;
    return `${prefix}${String(this.lastId).padStart(4, "0")}`;
  }

  /** Notes a person's id at the provider, which belongs to the candidate who had it first. */
  know(person: PersonRow, id: string) {
    const keptId = person.fault?.kind === "forgotten" ? person.fault.id : null;
    if (keptId !== id) {
      this.lastId += 1;
      person.knownAs = this.lastId;
    }
    Object.assign(person, { id, fault: null });
  }

  ownerOf(id: string): string | undefined {
    const having = [...this.people].filter(([, person]) => person.id === id);
    const [owner] = having.sort(([, one], [, two]) => one.knownAs - two.knownAs);
    return owner?.[0];
  }

  job(shiftId: string): JobRow | undefined {
    return this.jobs.get(shiftId);
  }

  bookingsOf(shiftId: string): BookingRow[] {
    return this.bookings.filter((booking) => booking.shiftId === shiftId);
  }

  seatsOf(shiftId: string): BookingRow[] {
    return this.bookingsOf(shiftId).filter(({ status }) => status === "pending" || status === "confirmed");
  }

  /** Returns a job of the candidate at that time; `except`: a shift to ignore. */
  overlap(candidateId: string, from: number, to: number, except?: string): string | undefined {
    for (const booking of this.bookings) {
      if (booking.candidateId !== candidateId || booking.shiftId === except) continue;
      if (booking.status !== "pending" && booking.status !== "confirmed") continue;
      const job = this.jobs.get(booking.shiftId);
      if (job && job.startTime < to && job.endTime > from) return job.jobId;
    }
    return undefined;
  }

  /** Whether the provider has put the candidate on a shift at that time itself. */
  isOwnPerson(candidateId: string, from: number, to: number): boolean {
    return [...this.jobs.values()].some(
      (job) =>
        job.status !== "cancelled" &&
        job.startTime < to &&
        job.endTime > from &&
        job.ownPeople.some((person) => person.candidateId === candidateId),
    );
  }

  isBeingCancelled(shiftId: string): boolean {
    return this.operations.some((each) => each.shiftId === shiftId && each.confirmedAt === null);
  }

  hasOpenIssue(code: IssueCode, subject: Subject): boolean {
    const text = JSON.stringify(subject);
    return this.issues.some((issue) => issue.isOpen && issue.code === code && issue.subject === text);
  }

  /** Marks work as due now; a claimed row detects it by its revision. */
  markDue(kind: WorkRow["kind"], key: string, priority: number, now: number) {
    const row = this.work.get(`${kind} ${key}`);
    if (!row) {
      const rest = { dueAt: now, notBefore: null, attempts: 0, claim: null, revision: 0 };
      this.work.set(`${kind} ${key}`, { kind, key, priority, ...rest });
      return;
    }
    row.revision += 1;
    row.priority = Math.min(row.priority, priority);
    if (row.claim === null) row.dueAt = Math.max(Math.min(row.dueAt, now), row.notBefore ?? now);
  }

  /** Ends a claim. Work of which nothing is left is deleted, unless a hint has arrived in the meantime. */
  endClaim(
    row: WorkRow,
    revision: number,
    { afterMs, attempts, priority, isFirm = false }: Rest,
    now: number,
  ) {
    const isHinted = row.revision !== revision;
    if (afterMs === undefined && !isHinted) return void this.work.delete(`${row.kind} ${row.key}`);
    const waitMs =
      !isHinted || isFirm ? afterMs : attempts > 0 ? Math.min(afterMs ?? HINTED_MS, HINTED_MS) : 0;
    Object.assign(row, {
      claim: null,
      attempts,
      priority: isHinted ? Math.min(row.priority, priority) : priority,
      dueAt: now + (waitMs ?? 0),
      notBefore: isFirm ? now + (afterMs ?? 0) : null,
    });
  }

  /** Makes failed work due: the provider responds again. */
  retryNow(now: number) {
    for (const row of this.work.values())
      if (row.attempts > 0 && row.kind !== "probe") {
        row.revision += 1;
        Object.assign(row, { notBefore: null, ...(row.claim === null && { dueAt: now }) });
      }
  }
}
