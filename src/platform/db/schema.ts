import type { Selectable } from "kysely";
import type { Tables } from "../../../generated/database/tables.ts";
import type * as api from "../../../generated/operations/types.ts";
import type { ProblemCode } from "../../contract/problem.ts";

/** The tables of schema `shiftpact`, as migrations/ makes them. Times are Dates in and out. */
export type Schema = Tables<Columns>;

/** What the jsonb columns hold. */
interface Columns {
  "integrations.routingAttempts": api.RoutingAttempt[];
  "integrations.dialect": api.Dialect;
  "integrations.routeRecoveries": Partial<Record<ProviderRoute, number>>;
  "providerCandidates.trouble": PersonFault;
  "registryImports.failure": { code: ProblemCode; detail: string };
  "registryImports.faults": api.RegistryFault[];
  "events.verdict": api.Outcome;
  "eventLog.verdict": api.Outcome;
  "shifts.belief": object;
  /** Every candidate, and others up to 100. */
  "jobs.ownPeople": api.ProviderPerson[];
  "jobs.warnings": string[];
  "jobs.announced": Announced;
  "bookings.reasonParams": api.Params;
  "bookings.rejection": Rejection;
  "bookings.soughtIds": string[];
  "shiftChanges.named": (keyof api.JobChange)[];
  "shiftChanges.base": ShiftValues;
  "shiftChanges.reasonParams": api.Params;
  "notifications.content": Record<string, unknown>;
  "notifications.deliveryParams": api.Params;
  "issues.subject": api.Subject;
  "issues.params": api.Params;
  "issues.history": api.IssueHistory[];
  "traceSteps.params": api.Params;
  "audit.subjects": Record<string, string>;
  "audit.changes": api.FieldChange[];
}

export type WorkKind = Schema["work"]["kind"];

/** What people would read as a change. Times are milliseconds since 1970. */
export interface Announced {
  startTime: number;
  endTime: number;
  outletId: string;
  roleId: string;
}

/** What a change of a shift names. Times are milliseconds since 1970. */
export interface ShiftValues {
  startTime: number;
  endTime: number;
  positions: number;
}

/** The operationIds of calls about a person that a gateway may have no route for. */
export type ProviderRoute = "assignCandidate" | "unassignCandidate" | "createCandidate" | "cancelShift";

/** What is known of the routes that were missing. `since`: one is missing, since this time; `recoveries`: how often it worked again. */
export type Routes = Partial<Record<ProviderRoute, { since?: string; recoveries: number }>>;

/** How a provider refused a call. */
export interface Rejection {
  status: number;
  code?: string;
  /** The id of the one whom it has put on the shift instead, by its acknowledgement. */
  assignedAs?: string;
}

/**
 * `forgotten`: the provider may no longer know the stored id. The person is looked up, but not created at once. With `id`, the person keeps this id if
 * look-ups until two minutes after `since` find no other. `created`: the provider has created someone, and its response did not say as whom. The person is only looked up.
 * `shared`: the provider had given the id to another candidate before; never stored.
 */
export type PersonFault =
  | { kind: "forgotten"; id?: string | null; since?: string }
  | { kind: "created"; failure: api.FailureCode }
  | { kind: "ambiguous"; matches: number }
  | { kind: "shared" }
  | ({ kind: "refused" } & Rejection);

export type BookingsTable = Schema["bookings"];
export type CandidatesTable = Schema["candidates"];
export type IssuesTable = Schema["issues"];
export type JobsTable = Schema["jobs"];
export type NotificationsTable = Schema["notifications"];
export type PendingOperationsTable = Schema["pendingOperations"];
export type ShiftChangesTable = Schema["shiftChanges"];
export type TraceStepsTable = Schema["traceSteps"];

/** A condition of an organisation, in JSON. */
export interface StoredCondition {
  code: ConditionCode;
  key: string;
  since: string;
  until: string | null;
}

export type ConditionCode = Exclude<api.HealthCode, "reachable">;

/** With its conditions, the gravest first. */
export type Integration = Selectable<Schema["integrations"]> & { conditions: readonly StoredCondition[] };
export type StoredEvent = Selectable<Schema["allEvents"]>;
export type RegistryImportRow = Selectable<Schema["registryImports"]>;
export type Job = Selectable<Schema["jobs"]>;
export type Booking = Selectable<Schema["bookings"]>;
export type ShiftChange = Selectable<Schema["shiftChanges"]>;
