import type { Selectable } from "kysely";
import { describe, expect, it } from "vitest";
import type { Schema } from "../../../src/platform/db/schema.ts";
import { engines, useEngine } from "../../engines.ts";

type Kind<T> = T extends Date
  ? "timestamptz"
  : T extends boolean
    ? "bool"
    : T extends number
      ? "int4" | "int8" | "float8"
      : T extends string
        ? "text" | "uuid"
        : "jsonb";
type Column<T> = null extends T ? `${Kind<NonNullable<T>>}?` : Kind<T>;
type Tables = {
  [T in keyof Schema]: { [C in keyof Selectable<Schema[T]>]: Column<Selectable<Schema[T]>[C]> };
};

// The compiler holds this against schema.ts, the test against the database; so the two agree.
const TABLES: Tables = {
  migrations: { name: "text", checksum: "text", applied_at: "timestamptz" },
  integrations: {
    provider_id: "uuid",
    kind: "text",
    name: "text",
    base_url: "text",
    routing: "text",
    state: "text",
    time_zone: "text",
    provider_token: "text",
    dialect: "jsonb",
    created_at: "timestamptz",
    updated_at: "timestamptz",
  },
  platform_tokens: {
    token_hash: "text",
    provider_id: "uuid",
    created_at: "timestamptz",
    valid_until: "timestamptz?",
  },
  workplaces: { workplace_id: "uuid", name: "text", address: "text?", created_at: "timestamptz" },
  competences: { competence_id: "uuid", name: "text", created_at: "timestamptz" },
  outlets: { provider_id: "uuid", outlet_id: "text", name: "text", address: "text?", workplace_id: "uuid?" },
  roles: { provider_id: "uuid", role_id: "text", name: "text", competence_id: "uuid?" },
  candidates: {
    candidate_id: "uuid",
    personal_number: "text",
    first_name: "text",
    last_name: "text",
    email: "text",
    phone: "text",
    hire: "text?",
    created_at: "timestamptz",
    updated_at: "timestamptz",
    erased_at: "timestamptz?",
  },
  candidate_competences: { candidate_id: "uuid", competence_id: "uuid" },
  provider_candidates: {
    provider_id: "uuid",
    candidate_id: "uuid",
    provider_candidate_id: "text",
    created_at: "timestamptz",
  },
  events: {
    event_id: "uuid",
    provider_id: "uuid",
    event: "text",
    shift_id: "text",
    trace_id: "text",
    status: "text",
    attempts: "int4",
    absences: "int4",
    verdict: "text?",
    received_at: "timestamptz",
    dispatched_at: "timestamptz?",
    processed_at: "timestamptz?",
    replayed_at: "timestamptz?",
    revived_at: "timestamptz?",
  },
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
    workplace_id: "uuid?",
    competence_id: "uuid?",
    overfilled: "bool",
    warnings: "jsonb",
    trace_id: "text",
    created_at: "timestamptz",
    updated_at: "timestamptz",
    reconciled_at: "timestamptz?",
    version: "int4",
  },
  tombstones: { provider_id: "uuid", shift_id: "text", deleted_at: "timestamptz" },
  bookings: {
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
    recalled_at: "timestamptz?",
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
  },
  notifications: {
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
    withheld_at: "timestamptz?",
  },
  trace_steps: {
    step_id: "int8",
    trace_id: "text",
    at: "timestamptz",
    step: "text",
    verdict: "text",
    detail: "jsonb",
    duration_ms: "float8?",
    provider_id: "uuid?",
    shift_id: "text?",
    job_id: "uuid?",
  },
  reveals: { reveal_id: "uuid", candidate_id: "uuid", reason: "text", revealed_at: "timestamptz" },
  processes: { process_id: "uuid", seen_at: "timestamptz" },
  figures: { minute: "timestamptz", name: "text", provider_id: "text", value: "int8" },
  field_uses: { provider_id: "uuid", field: "text", count: "int8" },
  shift_changes: {
    change_id: "uuid",
    job_id: "uuid",
    start_time: "timestamptz",
    end_time: "timestamptz",
    positions: "int4",
    status: "text",
    reason: "text?",
    trace_id: "text",
    created_at: "timestamptz",
    updated_at: "timestamptz",
  },
  shift_spellings: { provider_id: "uuid", shift_id: "text", spelling: "text" },
  issues: {
    issue_id: "uuid",
    provider_id: "uuid?",
    code: "text",
    subject: "text",
    detail: "text",
    remedy: "text",
    count: "int4",
    trace_id: "text?",
    first_at: "timestamptz",
    last_at: "timestamptz",
    resolved_at: "timestamptz?",
  },
};

describe.each(engines)("the schema on %s", (engine) => {
  const database = useEngine(engine);

  it("has the tables and columns that the types promise", async () => {
    const found = await database().kysely.introspection.getTables();
    const tables = found.filter(({ schema }) => schema === "shiftpact");
    const described = tables.map(({ name, columns }) => [
      name,
      Object.fromEntries(
        columns.map((column) => [column.name, column.dataType + (column.isNullable ? "?" : "")]),
      ),
    ]);
    expect(Object.fromEntries(described)).toEqual(TABLES);
  });

  it("gives counts as numbers, times as Dates and jsonb as values", async () => {
    const { kysely } = database();
    await kysely
      .insertInto("trace_steps")
      .values({ trace_id: "t", step: "s", verdict: "v", detail: JSON.stringify({ list: [1, "ä"] }) })
      .execute();
    const row = await kysely.selectFrom("trace_steps").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ step_id: 1, at: expect.any(Date), detail: { list: [1, "ä"] } });
    const { n } = await kysely
      .selectFrom("trace_steps")
      .select(({ fn }) => fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
    expect(n).toBe(1);
  });

  it("takes a jsonb array as text", async () => {
    const written = await database()
      .kysely.insertInto("trace_steps")
      .values({ trace_id: "t", step: "s", verdict: "v", detail: JSON.stringify(["a", "b"]) })
      .returning("detail")
      .executeTakeFirstOrThrow();
    expect(written.detail).toEqual(["a", "b"]);
  });

  it("keeps one open issue for each cause, also when no provider is concerned", async () => {
    const { kysely } = database();
    const issue = { provider_id: null, code: "c", subject: "s", detail: "d", remedy: "r" };
    const open = () =>
      kysely
        .insertInto("issues")
        .values({ ...issue, issue_id: crypto.randomUUID() })
        .execute();
    await open();
    await expect(open()).rejects.toThrow(/issues_open/);
    await kysely.updateTable("issues").set({ resolved_at: new Date() }).execute();
    await open();
  });
});
