import type { Selectable } from "kysely";
import { describe, expect, it } from "vitest";
import type { Subject } from "../../../generated/operations/types.ts";
import type { Schema } from "../../../src/platform/db/schema.ts";
import { engines, useEngine } from "../../harness/engines.ts";

type Kind<T> = T extends Date
  ? "timestamptz"
  : T extends boolean
    ? "bool"
    : T extends number
      ? "int2" | "int4" | "int8" | "float8"
      : T extends string
        ? "text" | "uuid"
        : "jsonb";
type Column<T> = null extends T ? `${Kind<NonNullable<T>>}?` : Kind<T>;
/** No column of a view is known to have a value. */
type View = "all_events" | "events_of_shifts";
type Tables = {
  [T in Exclude<keyof Schema, View>]: {
    [C in keyof Selectable<Schema[T]>]: Column<Selectable<Schema[T]>[C]>;
  };
};

const EVENT = {
  event_id: "uuid",
  provider_id: "uuid",
  event: "text",
  shift_id: "text",
  trace_id: "text",
  status: "text",
  attempts: "int4",
  verdict: "jsonb?",
  received_at: "timestamptz",
  processed_at: "timestamptz?",
  replayed_at: "timestamptz?",
} as const;

// The compiler holds this against schema.ts, the test against the database; so the two agree.
const TABLES: Tables = {
  migrations: { name: "text", checksum: "text", applied_at: "timestamptz", works_with: "text?" },
  integrations: {
    provider_id: "uuid",
    kind: "text",
    name: "text",
    base_url: "text",
    routing: "text",
    routing_source: "text",
    routing_attempts: "jsonb",
    state: "text",
    time_zone: "text",
    language: "text?",
    contact_phone: "text?",
    checked_at: "timestamptz?",
    provider_token: "text",
    dialect: "jsonb",
    created_at: "timestamptz",
    updated_at: "timestamptz",
    paused_since: "timestamptz?",
    health: "text",
    health_since: "timestamptz",
    health_until: "timestamptz?",
    held_since: "timestamptz?",
    absence_accepted_until: "timestamptz?",
    former_kind: "text?",
    former_kind_until: "timestamptz?",
    offboarding: "text?",
    offboarding_since: "timestamptz?",
    deletion_requested_at: "timestamptz?",
    lists_booked: "bool",
    routes: "jsonb",
  },
  platform_tokens: {
    token_hash: "text",
    provider_id: "uuid",
    created_at: "timestamptz",
    valid_until: "timestamptz?",
  },
  operators: {
    operator_id: "uuid",
    name: "text",
    role: "text",
    created_at: "timestamptz",
    revoked_at: "timestamptz?",
  },
  operator_tokens: {
    token_hash: "text",
    operator_id: "uuid",
    created_at: "timestamptz",
    valid_until: "timestamptz",
    replaced_at: "timestamptz?",
  },
  console_sessions: {
    session_hash: "text",
    token_hash: "text?",
    created_at: "timestamptz",
    used_at: "timestamptz",
  },
  audit: {
    audit_id: "uuid",
    at: "timestamptz",
    operator_id: "uuid?",
    operator_name: "text",
    address: "text",
    operation: "text",
    subjects: "jsonb",
    changes: "jsonb",
  },
  workplaces: { workplace_id: "uuid", name: "text", address: "text?", created_at: "timestamptz" },
  competences: { competence_id: "uuid", name: "text", created_at: "timestamptz" },
  outlets: { provider_id: "uuid", outlet_id: "text", name: "text", address: "text?", workplace_id: "uuid?" },
  roles: { provider_id: "uuid", role_id: "text", name: "text", competence_id: "uuid?" },
  candidates: {
    candidate_id: "uuid",
    personal_number_sealed: "text?",
    personal_number_hash: "text?",
    first_name: "text",
    last_name: "text",
    email: "text",
    phone: "text",
    hire: "text?",
    language: "text?",
    employee_number: "text?",
    created_at: "timestamptz",
    updated_at: "timestamptz",
    is_shared: "bool",
    erased_at: "timestamptz?",
  },
  memberships: {
    provider_id: "uuid",
    candidate_id: "uuid",
    first_name: "text",
    last_name: "text",
    email: "text",
    phone: "text",
    released_at: "timestamptz?",
    created_at: "timestamptz",
  },
  membership_competences: { provider_id: "uuid", candidate_id: "uuid", competence_id: "uuid" },
  candidate_competences: { candidate_id: "uuid", competence_id: "uuid" },
  provider_candidates: {
    provider_id: "uuid",
    candidate_id: "uuid",
    provider_candidate_id: "text?",
    known_at: "timestamptz?",
    create_sent_at: "timestamptz?",
    idempotency_key: "uuid?",
    trouble: "jsonb?",
  },
  events: { ...EVENT, traceparent: "text?", is_read: "bool" },
  event_log: EVENT,
  jobs: {
    job_id: "uuid",
    provider_id: "uuid",
    shift_id: "text",
    status: "text",
    variant: "text",
    start_time: "timestamptz",
    end_time: "timestamptz",
    positions: "int4",
    outlet_id: "text",
    outlet_name: "text?",
    role_id: "text",
    role_name: "text?",
    break_minutes: "int4?",
    description: "text?",
    workplace_id: "uuid?",
    competence_id: "uuid?",
    overfilled: "bool",
    warnings: "jsonb",
    trace_id: "text",
    created_at: "timestamptz",
    updated_at: "timestamptz",
    cancelled_by: "text?",
    own_people: "jsonb",
    own_people_count: "int4",
    offer_round: "int4",
    renewed_round: "int4",
    announced: "jsonb?",
  },
  shifts: {
    provider_id: "uuid",
    shift_id: "text",
    spelling: "text?",
    next_read_at: "timestamptz?",
    belief: "jsonb",
    believed_at: "timestamptz?",
    missing_since: "timestamptz?",
  },
  work: {
    provider_id: "uuid",
    kind: "text",
    key: "text",
    priority: "int2",
    is_first: "bool",
    due_at: "timestamptz",
    not_before: "timestamptz?",
    attempts: "int4",
    claim: "uuid?",
    revision: "int4",
    created_at: "timestamptz",
  },
  bookings: {
    provider_id: "uuid",
    booking_id: "uuid",
    job_id: "uuid",
    candidate_id: "uuid",
    provider_candidate_id: "text?",
    status: "text",
    reason: "text?",
    trace_id: "text",
    created_at: "timestamptz",
    updated_at: "timestamptz",
    withdrawn_at: "timestamptz?",
    reason_params: "jsonb",
    at_provider: "text",
    doubt_since: "timestamptz?",
    sent_at: "timestamptz?",
    rejection: "jsonb?",
    missing_since: "timestamptz?",
    is_reassigned: "bool",
    may_act_late: "bool",
    left_at: "timestamptz?",
    sought_ids: "jsonb",
    route_doubt: "int4?",
    calendar_uid: "uuid?",
  },
  pending_operations: {
    operation_id: "uuid",
    provider_id: "uuid",
    shift_id: "text",
    operation: "text",
    trace_id: "text",
    created_at: "timestamptz",
    expires_at: "timestamptz",
    consumed_at: "timestamptz?",
    consumed_by: "uuid?",
    sent_at: "timestamptz?",
    confirmed_at: "timestamptz?",
  },
  notifications: {
    provider_id: "uuid",
    notification_id: "uuid",
    candidate_id: "uuid",
    job_id: "uuid",
    kind: "text",
    change_key: "text",
    content: "jsonb",
    trace_id: "text",
    created_at: "timestamptz",
    channel: "text?",
    delivered_at: "timestamptz?",
    delivery_error: "text?",
    delivery_params: "jsonb",
    withdrawn_at: "timestamptz?",
    resends: "int4",
    digest_id: "uuid?",
    calendar_uid: "uuid?",
    link_opened_at: "timestamptz?",
    webhook: "text?",
    link_salt: "int4",
  },
  declines: { provider_id: "uuid", job_id: "uuid", candidate_id: "uuid", declined_at: "timestamptz" },
  disputed_addresses: {
    provider_id: "uuid",
    candidate_id: "uuid",
    address: "text",
    disputed_at: "timestamptz",
  },
  personal_links: {
    provider_id: "uuid",
    candidate_id: "uuid",
    salt: "int4",
    unsubscribed_at: "timestamptz?",
  },
  offer_mails: {
    provider_id: "uuid",
    candidate_id: "uuid",
    digest_id: "uuid",
    at: "timestamptz",
    sent_at: "timestamptz?",
  },
  trace_steps: {
    step_id: "uuid",
    trace_id: "text",
    at: "timestamptz",
    step: "text",
    code: "text",
    params: "jsonb",
    duration_ms: "float8?",
    provider_id: "uuid",
    shift_id: "text?",
    job_id: "uuid?",
    operator: "text?",
  },
  reveals: { reveal_id: "uuid", candidate_id: "uuid", reason: "text", revealed_at: "timestamptz" },
  sealed_keys: { name: "text", sealed: "text" },
  erased_people: { number_hash: "text", erased_at: "timestamptz" },
  processes: { process_id: "uuid", seen_at: "timestamptz" },
  call_rates: {
    provider_id: "uuid",
    second_until: "timestamptz",
    minute_until: "timestamptz",
    silent_until: "timestamptz",
  },
  webhook_counts: { provider_id: "uuid", minute: "timestamptz", count: "int8" },
  hourly_figures: { provider_id: "uuid", name: "text", hour: "timestamptz", value: "int8" },
  figures: { minute: "timestamptz", name: "text", provider_id: "uuid", value: "int8" },
  rejected_webhooks: {
    rejection_id: "uuid",
    provider_id: "uuid",
    hour: "timestamptz",
    code: "text",
    pointer: "text",
    count: "int8",
    last_at: "timestamptz",
  },
  field_uses: { provider_id: "uuid", field: "text", count: "int8" },
  own_people: { provider_id: "uuid", job_id: "uuid", candidate_id: "uuid", created_at: "timestamptz" },
  shift_changes: {
    provider_id: "uuid",
    change_id: "uuid",
    job_id: "uuid",
    start_time: "timestamptz",
    end_time: "timestamptz",
    positions: "int4",
    named: "jsonb",
    base: "jsonb?",
    status: "text",
    reason: "text?",
    reason_params: "jsonb",
    sent_at: "timestamptz?",
    trace_id: "text",
    created_at: "timestamptz",
    updated_at: "timestamptz",
  },
  issues: {
    issue_id: "uuid",
    provider_id: "uuid",
    code: "text",
    subject: "jsonb",
    params: "jsonb",
    count: "int4",
    trace_id: "text?",
    first_at: "timestamptz",
    last_at: "timestamptz",
    resolved_at: "timestamptz?",
    assigned_to: "text?",
    snoozed_until: "timestamptz?",
    history: "jsonb",
    mail_alert_due_at: "timestamptz?",
    webhook_alert_due_at: "timestamptz?",
  },
};

describe.each(engines)("the schema on %s", (engine) => {
  const database = useEngine(engine);

  it("has the tables and columns that the types promise", async () => {
    const found = await database().kysely.introspection.getTables();
    const { rows } = await database().raw.executeSql("select relname from pg_class where relispartition");
    const partitions = rows.map(({ relname }) => relname);
    const own = found.filter(({ schema, name }) => schema === "shiftpact" && !partitions.includes(name));
    const [tables, views] = [own.filter(({ isView }) => !isView), own.filter(({ isView }) => isView)];
    const described = tables.map(({ name, columns }) => [
      name,
      Object.fromEntries(
        columns.map((column) => [column.name, column.dataType + (column.isNullable ? "?" : "")]),
      ),
    ]);
    expect(Object.fromEntries(described)).toEqual(TABLES);
    const all = views.map(({ name, columns }) => [name, ...columns.map((column) => column.name)]);
    const names = ["all_events", "events_of_shifts"] satisfies View[];
    expect(all.sort()).toEqual(names.map((name) => [name, ...Object.keys(EVENT)]));
  });

  const STEP = { provider_id: crypto.randomUUID(), trace_id: "t", step: "job", code: "job_created" } as const;

  it("gives counts as numbers, times as Dates and jsonb as values", async () => {
    const { kysely } = database();
    const params = { warnings: ["ä"], attempts: 1 };
    await kysely
      .insertInto("trace_steps")
      .values({ ...STEP, step_id: crypto.randomUUID(), params: JSON.stringify(params) })
      .execute();
    const row = await kysely.selectFrom("trace_steps").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ at: expect.any(Date), params });
    const { n } = await kysely
      .selectFrom("trace_steps")
      .select(({ fn }) => fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
    expect(n).toBe(1);
  });

  it("accepts a jsonb array as text", async () => {
    const { kysely } = database();
    const provider_id = crypto.randomUUID();
    await kysely
      .insertInto("integrations")
      .values({ provider_id, kind: "k", name: "n", base_url: "https://p.example", provider_token: "t" })
      .execute();
    const shift = { shift_id: "s", status: "open", variant: "a", positions: 1, trace_id: "t" } as const;
    const times = { start_time: new Date(0), end_time: new Date(1) };
    const written = await kysely
      .insertInto("jobs")
      .values({ ...shift, ...times, provider_id, job_id: crypto.randomUUID(), outlet_id: "o", role_id: "r" })
      .returning(["warnings", "own_people"])
      .executeTakeFirstOrThrow();
    expect(written).toEqual({ warnings: [], own_people: [] });
    const changed = await kysely
      .updateTable("jobs")
      .set({ warnings: JSON.stringify(["a", "b"]) })
      .returning("warnings")
      .executeTakeFirstOrThrow();
    expect(changed).toEqual({ warnings: ["a", "b"] });
  });

  it("keeps one open issue for each code and subject of a provider", async () => {
    const { kysely } = database();
    const one = crypto.randomUUID();
    const open = (provider_id: string, subject: Subject) =>
      kysely
        .insertInto("issues")
        .values({
          provider_id,
          issue_id: crypto.randomUUID(),
          code: "unassign_failed",
          subject: JSON.stringify(subject),
        })
        .execute();
    await open(one, { kind: "booking", shiftId: "s", candidateId: "c" });
    const reordered = open(one, { candidateId: "c", shiftId: "s", kind: "booking" });
    await expect(reordered).rejects.toThrow(/issues_open/);
    await open(one, { kind: "booking", shiftId: "s", candidateId: "d" });
    await open(crypto.randomUUID(), { kind: "booking", shiftId: "s", candidateId: "c" });
    await kysely.updateTable("issues").set({ resolved_at: new Date() }).execute();
    await open(one, { kind: "booking", shiftId: "s", candidateId: "c" });
  });

  it("leads the primary key of every table of an organisation with provider_id, and has no trigger or sequence", async () => {
    const { rows } = await database().raw.executeSql(`
      select pg_class.relname as table, (select attname from pg_attribute
          where attrelid = pg_class.oid and attnum = indkey[0]) as first
      from pg_index join pg_class on pg_class.oid = indrelid
      where indisprimary and relnamespace = 'shiftpact'::regnamespace and exists (select from pg_attribute
        where attrelid = pg_class.oid and attname = 'provider_id' and not attisdropped)`);
    expect(rows.filter(({ first }) => first !== "provider_id")).toEqual([]);
    expect(rows.length).toBeGreaterThan(10);
    const triggers = await database().raw.executeSql(
      "select tgname from pg_trigger where not tgisinternal and tgrelid::regclass::text like '%shiftpact.%'",
    );
    expect(triggers.rows).toEqual([]);
    // A backup does not hold the value of a sequence.
    const sequences = await database().raw.executeSql(
      "select sequencename from pg_sequences where schemaname = 'shiftpact'",
    );
    expect(sequences.rows).toEqual([]);
  });
});
