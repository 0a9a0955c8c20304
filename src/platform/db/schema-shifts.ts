import type { Generated } from "kysely";
import type * as api from "../../../generated/operations/types.ts";
import type { Json, JsonWithDefault, Stamped } from "./column.ts";

interface EventColumns {
  event_id: string;
  provider_id: string;
  event: string;
  shift_id: string;
  trace_id: string;
  status: Generated<api.EventStatus>;
  attempts: Generated<number>;
  verdict: Json<api.Outcome> | null;
  received_at: Generated<Date>;
  processed_at: Date | null;
  /** By an operator: then it is no longer an echo. */
  replayed_at: Date | null;
}

/** Shifts and what the platform does about them. */
export interface ShiftTables {
  /** Those that wait, that failed, or that ended some days ago at most. */
  events: EventColumns & {
    traceparent: string | null;
    /** Whether a reading has covered it while it waits: a later one settles it. */
    is_read: Generated<boolean>;
  };
  /** Those that ended longer ago, by day. */
  event_log: EventColumns;
  /** The view of both. */
  all_events: EventColumns;
  /** The same, to find the events of a shift of whichever provider. */
  events_of_shifts: EventColumns;
  /** What is known of a shift at its provider. */
  shifts: {
    provider_id: string;
    shift_id: string;
    spelling: string | null;
    next_read_at: Date | null;
    /** Its times are in milliseconds before `believed_at`. */
    belief: JsonWithDefault<object>;
    believed_at: Date | null;
    /** Since when readings have not found it, or found it cancelled. */
    missing_since: Date | null;
  };
  /** What is due: at most one row for each shift, person and recipient. */
  work: {
    provider_id: string;
    kind: WorkKind;
    key: string;
    /** 0: an operator or a candidate waits; 1: an event; 2: in the background. */
    priority: number;
    /** No reading has succeeded since its newest hint. */
    is_first: Generated<boolean>;
    /** Of a claimed row: when the claim ends unless it is renewed. */
    due_at: Generated<Date>;
    not_before: Date | null;
    /** Consecutive failures. */
    attempts: Generated<number>;
    claim: string | null;
    /** Grows with each hint. */
    revision: Generated<number>;
    created_at: Generated<Date>;
  };
  jobs: Stamped & {
    job_id: string;
    provider_id: string;
    shift_id: string;
    status: api.JobStatus;
    variant: NonNullable<api.Dialect["variant"]>;
    start_time: Date;
    end_time: Date;
    positions: number;
    outlet_id: string;
    outlet_name: string | null;
    role_id: string;
    role_name: string | null;
    break_minutes: number | null;
    description: string | null;
    workplace_id: string | null;
    competence_id: string | null;
    overfilled: Generated<boolean>;
    warnings: JsonWithDefault<string[]>;
    trace_id: string;
    cancelled_by: NonNullable<api.Job["cancelledBy"]> | null;
    /** The people whom the provider assigned itself: every candidate, and others up to 100. */
    own_people: JsonWithDefault<api.ProviderPerson[]>;
    own_people_count: Generated<number>;
    /** Grows when the times, the place or the role change, and with `renewed_round`: identifies an offer. */
    offer_round: Generated<number>;
    /** The round that began when a confirmed booking last ended: an offer of an earlier round is not restored, but made again. */
    renewed_round: Generated<number>;
    /** What people were last notified of, until the present values are settled. Times are in milliseconds since 1970. */
    announced: Json<Announced> | null;
  };
  bookings: Stamped & {
    provider_id: string;
    booking_id: string;
    job_id: string;
    candidate_id: string;
    provider_candidate_id: string | null;
    status: api.BookingStatus;
    reason: api.BookingReason | null;
    reason_params: JsonWithDefault<api.Params>;
    trace_id: string;
    /** While a withdrawal waits for the provider. */
    withdrawn_at: Date | null;
    /** Whether the person is on the provider's shift because of the platform; `maybe` while the outcome of a call is not known. */
    at_provider: Generated<"no" | "maybe" | "yes">;
    doubt_since: Date | null;
    /** When the first assign was sent. */
    sent_at: Date | null;
    /** The provider's response to a call that repeated one in doubt: the next reading decides. */
    rejection: Json<Rejection> | null;
    /** The first reading in a row whose list should show the person, and does not. */
    missing_since: Date | null;
    is_reassigned: Generated<boolean>;
    /** An assignment was sent whose outcome was unknown: it may take effect late. */
    may_act_late: Generated<boolean>;
    /** When the provider confirmed that the person is off the shift. */
    left_at: Date | null;
    /** The ids by which the provider, or its lists, did not know the person, and which were looked up again. */
    sought_ids: JsonWithDefault<string[]>;
    /** Since the provider answered a call about the person as if it had no route: how often the route had recovered before. */
    route_doubt: number | null;
    /** Identifies the assignment in calendars, if the booking continues one on another shift; null: booking_id does. */
    calendar_uid: string | null;
  };
  /** The candidates among the people whom the provider assigned itself. */
  own_people: { provider_id: string; job_id: string; candidate_id: string; created_at: Generated<Date> };
  shift_changes: Stamped & {
    provider_id: string;
    change_id: string;
    job_id: string;
    start_time: Date;
    end_time: Date;
    positions: number;
    /** What was asked for; the rest is as the job has it when the change is sent. */
    named: JsonWithDefault<(keyof api.JobChange)[]>;
    /** The values before the last call, from a reading in the same run. */
    base: Json<ShiftValues> | null;
    status: "pending" | "confirmed" | "refused";
    reason: api.ChangeReason | null;
    reason_params: JsonWithDefault<api.Params>;
    sent_at: Date | null;
    trace_id: string;
  };
  pending_operations: {
    operation_id: string;
    provider_id: string;
    shift_id: string;
    operation: "delete";
    trace_id: string;
    created_at: Generated<Date>;
    expires_at: Date;
    consumed_at: Date | null;
    /** The event that was accepted as the echo. */
    consumed_by: string | null;
    sent_at: Date | null;
    confirmed_at: Date | null;
  };
}

export type WorkKind = "shift" | "person" | "mail" | "check" | "probe" | "refresh";

/** The operationIds of calls about a person that a gateway may have no route for. */
/** What a change of a shift names. Times are milliseconds since 1970. */
/** What people would read as a change. Times are milliseconds since 1970. */
export interface Announced {
  startTime: number;
  endTime: number;
  outletId: string;
  roleId: string;
}

export interface ShiftValues {
  startTime: number;
  endTime: number;
  positions: number;
}

export type ProviderRoute = "assignCandidate" | "unassignCandidate" | "createCandidate" | "cancelShift";

/** What is known of the routes that were missing. `since`: one is missing, since this time; `recoveries`: how often it worked again. */
export type Routes = Partial<Record<ProviderRoute, { since?: string; recoveries: number }>>;

/** How a provider refused a call. */
export interface Rejection {
  status: number;
  code?: string;
}
