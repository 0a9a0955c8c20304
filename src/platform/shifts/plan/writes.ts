import type {
  ChangeReason,
  EventStatus,
  IssueCode,
  NotificationKind,
  Outcome,
  OutcomeCode,
  Params,
  StepName,
  Subject,
} from "../../../../generated/operations/types.ts";
import type { ProviderRoute } from "../../db/schema.ts";
import type {
  BookingState,
  CancellationState,
  ChangeState,
  JobState,
  KnownShift,
  ShiftState,
} from "./state.ts";

export interface PlannedStep {
  step: StepName;
  code: OutcomeCode;
  params?: Params;
  traceId: string;
  durationMs?: number;
}

/** One write of a run. All of a run's writes share a transaction. A write carries plain values, so applying it needs no rule. */
export type Write =
  | { write: "shift"; patch: ShiftPatch }
  /** For a new job, `patch` has all columns. */
  | { write: "job"; jobId: string | undefined; patch: Partial<JobState> }
  | { write: "booking"; bookingId: string; patch: BookingPatch }
  | {
      write: "events";
      eventIds: readonly string[];
      status: EventStatus;
      verdict: Outcome;
      attempts: number;
      /** Whether a reading has covered them. */
      isRead: boolean;
    }
  | { write: "operation"; operationId: string; patch: OperationPatch }
  | { write: "forget_operation"; operationId: string }
  | { write: "requeue_echo"; eventId: string }
  | { write: "change"; changeId: string; patch: ChangePatch }
  | { write: "issue"; code: IssueCode; subject: Subject; params: Params; traceId: string }
  /** Without codes, resolves every issue of the shift. Those of an outlet or a role stay while another job has the cause. */
  | { write: "resolve_issues"; codes?: readonly IssueCode[]; subject: Subject }
  | ({ write: "step" } & PlannedStep)
  | {
      write: "notify";
      kind: NotificationKind;
      candidateIds: readonly string[];
      changeKey: string;
      reason?: string;
      traceId: string;
    }
  /** Books a person whom the provider has put on this shift, or moved to another one, and notifies them of it. */
  | {
      write: "book";
      candidateId: string;
      providerCandidateId: string;
      movedTo?: { jobId: string; shiftId: string };
      kind: NotificationKind | undefined;
    }
  /** The provider has put candidates on this shift: it may have taken them off others, on which they are booked, at the same time. */
  | { write: "read_booked"; candidateIds: readonly string[] }
  | { write: "offer"; isNewlyOpen: boolean; traceId: string }
  | { write: "withdraw_offers" }
  /**
   * Looks the person up at the provider, or creates them. `forget` drops the stored id, which the provider no longer knows; with `keep`, it stays the
   * person's id if the lookup finds no other.
   */
  | { write: "identify"; candidateId: string; forget: boolean; keep?: true }
  /** The provider answers calls of the route as if it had none, or as if it had it again. */
  | {
      write: "route";
      route: ProviderRoute;
      works: boolean;
      recoveries?: number;
      params: Params;
      traceId: string;
    }
  | { write: "pause"; status: number }
  | { write: "health"; health: "reachable" | "implausible" }
  /** Counts no shift as deleted until an operator confirms it. If one just has, the shift is read at once. */
  | { write: "hold"; params: Params }
  /** A list has shown a booked person, for the first time at this provider. */
  | { write: "listsBooked" }
  /** A shift has reappeared. The hold ends when no shift is missing. */
  | { write: "end_hold" }
  /** Reads `count` other future shifts of the provider, to distinguish one deletion from a loss of data. */
  | { write: "sample"; count: number };

export type ShiftPatch = Partial<Omit<KnownShift, "hasIssues">>;

export type BookingPatch = Partial<Omit<BookingState, "bookingId" | "candidateId" | "person" | "traceId">>;

export type OperationPatch = Partial<Pick<CancellationState, "sentAt" | "consumedBy">> & {
  isConfirmed?: true;
};

export type ChangePatch = Partial<
  Pick<ChangeState, "sentAt" | "startTime" | "endTime" | "positions" | "base">
> & {
  status?: "confirmed" | "refused";
  reason?: ChangeReason | null;
  reasonParams?: Params;
};

/** Returns the rows of the shift, its job and its bookings that the plan has changed, with what differs. */
export function rowsOf(before: ShiftState, after: ShiftState): Write[] {
  const writes: Write[] = [];
  const { hasIssues: _, ...shift } = after.shift;
  const isRead = after.shift.belief !== before.shift.belief;
  const shiftPatch = { ...differences(before.shift, shift), ...(isRead && { belief: after.shift.belief }) };
  if (Object.keys(shiftPatch).length > 0) writes.push({ write: "shift", patch: shiftPatch });
  const jobPatch = after.job && (before.job ? differences(before.job, after.job) : after.job);
  if (jobPatch) writes.push({ write: "job", jobId: before.job?.jobId, patch: jobPatch });
  for (const { person: __, ...booking } of after.bookings) {
    const { bookingId } = booking;
    const was = before.bookings.find((each) => each.bookingId === bookingId);
    const patch = was && differences(was, booking);
    if (patch) writes.push({ write: "booking", bookingId, patch });
  }
  return writes;
}

function differences<Row extends object>(before: Row, after: Row): Partial<Row> | undefined {
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof Row]),
  );
  return changed.length > 0 ? (Object.fromEntries(changed) as Partial<Row>) : undefined;
}
