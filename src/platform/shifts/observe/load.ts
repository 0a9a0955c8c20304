import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Shift } from "../../../contract/shift.ts";
import { HOLDS_SEAT, jsonRows, ROW_BY_ROW } from "../../db/fragments.ts";
import { camelCase } from "../../db/names.ts";
import { type Organisation, providerOf } from "../../db/organisation.ts";
import type { Integration, ProviderRoute, Routes, Schema } from "../../db/schema.ts";
import { conditionOf, conditionsAt } from "../../integrations/conditions.ts";
import { NO_BELIEF } from "../plan/believe.ts";
import type {
  BookingState,
  CancellationState,
  ChangeState,
  EventState,
  JobState,
  KnownShift,
  ShiftState,
} from "../plan/state.ts";
import { fromRow, fromStored, type StoredBelief } from "../stored.ts";

export interface ShiftKey {
  providerId: string;
  shiftId: string;
}

type Db = Kysely<Schema>;

/** A shift as the database returns it: in JSON, times are text. */
interface Loaded {
  /** The index of the request. */
  nth: number;
  /** Of the first request of each provider alone: there are many for one. */
  integration: Integration | null;
  shift: Record<string, unknown> | null;
  job: Record<string, unknown> | null;
  bookings: Record<string, unknown>[];
  operations: (Omit<CancellationState, "sentAt"> & {
    sentAt: string | null;
    isOpen: boolean;
    isAwaited: boolean;
  })[];
  changes: Record<string, unknown>[];
  events: (Omit<EventState, "receivedAt"> & { receivedAt: string; spelling: string | null })[];
  hasIssues: boolean;
  workplaceId: string | null;
  competenceId: string | null;
}

/** How long an ended booking with a call in doubt is still loaded. The call may take effect late, so this outlasts the next periodic reading. */
const LOADED_FOR = sql`interval '2 hours'`;

export interface LoadedShift {
  state: ShiftState;
  integration: Integration;
  /** The shift's id as the provider spells it. */
  spelling: string;
}

/** A shift to load. `read`: the shift as the provider has it now; its outlet and role are looked up too. */
export interface LoadRequest {
  key: ShiftKey;
  read?: Shift | undefined;
}

/** Loads everything that is stored about some shifts, in one statement and in their order. Undefined: no integration has the providerId. */
export async function loadShifts(
  db: Db,
  asked: readonly LoadRequest[],
  now: Date,
  organisation?: Organisation,
): Promise<(LoadedShift | undefined)[]> {
  const provider = providerOf(organisation, "asked.provider");
  const { rows } = await sql<Loaded>`
    select ${basics(provider, now)}, to_jsonb(job) as job, ${bookings(provider)} as bookings,
      (select coalesce(jsonb_agg(to_jsonb(change) || jsonb_build_object('sent_in_ms', extract(epoch from sent_at - now()) * 1000)
        order by change_id), '[]') from shift_changes as change
        where change.provider_id = ${provider} and change.job_id = job.job_id and change.status = 'pending') as changes,
      exists (select 1 from issues where provider_id = ${provider} and subject ->> 'shiftId' = asked.shift
        and resolved_at is null ${ROW_BY_ROW}) as has_issues,
      (select workplace_id from outlets where provider_id = ${provider}
        and outlet_id = coalesce(asked.outlet, job.outlet_id)) as workplace_id,
      (select competence_id from roles where provider_id = ${provider}
        and role_id = coalesce(asked.role, job.role_id)) as competence_id
    from ${rowsOf(asked, provider)}`.execute(db);
  return inOrder(asked, rows, now);
}

/** Loads only what shows whether shifts have to be read first: no bookings, changes, or mappings. */
export async function peekShifts(
  db: Db,
  keys: readonly ShiftKey[],
  now: Date,
  organisation?: Organisation,
): Promise<(LoadedShift | undefined)[]> {
  const provider = providerOf(organisation, "asked.provider");
  const asked = keys.map((key) => ({ key }));
  const { rows } = await sql<Loaded>`
    select ${basics(provider, now)}, case when job.job_id is not null then jsonb_build_object('status', job.status, 'trace_id', job.trace_id) end as job,
      '[]'::jsonb as bookings, '[]'::jsonb as changes, false as has_issues, null as workplace_id, null as competence_id
    from ${rowsOf(asked, provider)}`.execute(db);
  return inOrder(asked, rows, now);
}

function inOrder(
  asked: readonly LoadRequest[],
  rows: readonly Loaded[],
  now: Date,
): (LoadedShift | undefined)[] {
  const byNth = new Map(rows.map((row) => [row.nth, row]));
  const integrations = new Map(
    rows.flatMap(({ nth, integration }) =>
      integration ? [[asked[nth]?.key.providerId, asRow(integration)] as const] : [],
    ),
  );
  return asked.map(({ key }, nth) => {
    const loaded = byNth.get(nth);
    const integration = integrations.get(key.providerId);
    if (!loaded || !integration) return undefined;
    // Before its first reading nothing is known of a shift but its events.
    const named = loaded.shift ?? loaded.events.find((event) => event.spelling !== null);
    const spelling = (named?.spelling as string | null | undefined) ?? key.shiftId;
    return { integration, spelling, state: stateOf(key, loaded, integration, now) };
  });
}

/** Joins the tables by their keys. */
function rowsOf(asked: readonly LoadRequest[], provider: RawBuilder<string>) {
  const first = new Map(asked.map(({ key }, nth) => [key.providerId, nth] as const).reverse());
  const rows = asked.map(({ key, read }, nth) => ({
    nth,
    isFirst: first.get(key.providerId) === nth,
    provider: key.providerId,
    shift: key.shiftId,
    ...(read && { outlet: read.outletId, role: read.roleId }),
  }));
  return sql`
    ${jsonRows(rows)}
      as asked (nth int, "isFirst" boolean, provider uuid, shift text, outlet text, role text)
    cross join lateral (select * from integrations where provider_id = ${provider} ${ROW_BY_ROW}) as integrations
    left join lateral (select * from jobs where provider_id = ${provider} and shift_id = asked.shift ${ROW_BY_ROW}) as job on true`;
}

const basics = (provider: RawBuilder<string>, now: Date) => sql`
  asked.nth, case when asked."isFirst" then to_jsonb(integrations) || jsonb_build_object('conditions', ${conditionsAt(provider)}) end as integration,
  (select to_jsonb(shifts) || jsonb_build_object('in_ms', extract(epoch from next_read_at - now()) * 1000,
      'missing_in_ms', extract(epoch from missing_since - now()) * 1000, 'believed_in_ms', extract(epoch from believed_at - now()) * 1000)
    from shifts where provider_id = ${provider} and shift_id = asked.shift) as shift,
  (select coalesce(jsonb_agg(jsonb_build_object('operationId', operation_id, 'traceId', trace_id, 'sentAt', sent_at,
      'consumedBy', consumed_by, 'isOpen', confirmed_at is null,
      'isAwaited', consumed_at is null and expires_at > ${now}) order by operation_id), '[]')
    from pending_operations where provider_id = ${provider} and shift_id = asked.shift) as operations,
  (select coalesce(jsonb_agg(jsonb_build_object('eventId', event_id, 'event', event, 'traceId', trace_id,
      'receivedAt', received_at, 'isDead', status = 'dead', 'isReplayed', replayed_at is not null,
      'isRead', is_read, 'spelling', spelling) order by event_id), '[]')
    from events where provider_id = ${provider} and shift_id = asked.shift and status in ('queued', 'dead')) as events`;

/** An id at a provider belongs to the candidate who had it first. */
const isShared = (
  provider: RawBuilder<string>,
) => sql`(select '{"kind": "shared"}'::jsonb from provider_candidates as other
    where other.provider_id = ${provider} and other.provider_candidate_id = known.provider_candidate_id
      and (other.known_at, other.candidate_id) < (known.known_at, known.candidate_id) limit 1)`;

const bookings = (provider: RawBuilder<string>) => sql`
  (select coalesce(jsonb_agg(to_jsonb(bookings) || jsonb_build_object('person_id', known.provider_candidate_id,
      'fault', coalesce(known.trouble, ${isShared(provider)})) order by booking_id), '[]')
    from bookings left join provider_candidates as known
      on known.provider_id = ${provider} and known.candidate_id = bookings.candidate_id
    where bookings.provider_id = ${provider} and bookings.job_id = job.job_id
      and (${HOLDS_SEAT} or at_provider <> 'no' or sent_at is not null and bookings.updated_at > now() - ${LOADED_FOR}))`;

const TIME = /_(?:at|since|until)$/;

/** Restores the times, which are texts in JSON. */
const asRow = (integration: Integration): Integration =>
  Object.fromEntries(
    Object.entries(integration).map(([column, value]) => [
      camelCase(column),
      TIME.test(column) && typeof value === "string" ? new Date(value) : value,
    ]),
  ) as Integration;

const at = (text: unknown): number | null => (typeof text === "string" ? Date.parse(text) : null);

function stateOf(
  { providerId, shiftId }: ShiftKey,
  loaded: Loaded,
  integration: Integration,
  now: Date,
): ShiftState {
  const { operations } = loaded;
  const open = operations.findLast(({ isOpen }) => isOpen);
  const job = loaded.job ? fromRow<JobState>(loaded.job) : undefined;
  return {
    providerId,
    shiftId,
    job,
    integration: {
      state: integration.state,
      isImplausible: conditionOf(integration, "implausible") !== undefined,
      isPaused: conditionOf(integration, "token_rejected") !== undefined,
      isHeld: conditionOf(integration, "mass_disappearance") !== undefined,
      listsBooked: integration.listsBooked,
      routes: routesOf(integration),
    },
    shift: knownOf(loaded.shift, loaded.hasIssues, now),
    bookings: loaded.bookings.map(bookingOf),
    cancellation: open && job?.status !== "cancelled" ? { ...open, sentAt: at(open.sentAt) } : undefined,
    echoes: operations.filter(({ isAwaited }) => isAwaited).map(({ operationId }) => operationId),
    changes: changesOf(loaded, now),
    events: loaded.events.map(({ spelling: _, ...event }) => ({
      ...event,
      receivedAt: Date.parse(event.receivedAt),
    })),
    surroundings: {
      workplaceId: loaded.workplaceId,
      competenceId: loaded.competenceId,
      listed: [],
      overlaps: [],
      lacking: [],
      vanished: { missing: 0, known: 0 },
    },
  };
}

function routesOf({ routeRecoveries, conditions }: Integration): Routes {
  const known: [string, Routes[ProviderRoute]][] = Object.entries(routeRecoveries).map(
    ([route, recoveries]) => [route, { recoveries }],
  );
  const missing = conditions.filter(({ code }) => code === "route_missing");
  for (const { key, since } of missing) {
    const recoveries = routeRecoveries[key as ProviderRoute] ?? 0;
    known.push([key, { since: new Date(since).toISOString(), recoveries }]);
  }
  return Object.fromEntries(known);
}

const changesOf = ({ changes }: Loaded, now: Date): ChangeState[] =>
  changes.map((row) => {
    const { sentInMs, ...change } = fromRow<ChangeState & { sentInMs: unknown }>(row);
    return { ...change, sentAt: fromNow(sentInMs, now) };
  });

/** Converts a time that the database returned relative to its own clock. */
const fromNow = (inMs: unknown, now: Date): number | null =>
  typeof inMs === "number" ? now.getTime() + Math.round(inMs) : null;

function knownOf(row: Record<string, unknown> | null, hasIssues: boolean, now: Date): KnownShift {
  const believedAt = fromNow(row?.believed_in_ms, now);
  const belief = row?.belief
    ? fromStored(row.belief as StoredBelief, believedAt ?? now.getTime())
    : NO_BELIEF;
  return {
    nextReadAt: fromNow(row?.in_ms, now),
    belief: { ...belief, missingSince: fromNow(row?.missing_in_ms, now) },
    hasIssues,
  };
}

type LoadedBooking = BookingState & { withdrawnAt: number | null } & {
  personId: BookingState["person"]["id"];
  fault: BookingState["person"]["fault"];
};

function bookingOf(row: Record<string, unknown>): BookingState {
  const { withdrawnAt, personId, fault, ...booking } = fromRow<LoadedBooking>(row);
  return { ...booking, isWithdrawn: withdrawnAt !== null, person: { id: personId, fault } };
}
