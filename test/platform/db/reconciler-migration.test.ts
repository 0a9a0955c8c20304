import { copyFile, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Database, Engine } from "../../../src/platform/db/database.ts";
import { openDatabase } from "../../../src/platform/db/database.ts";
import type { RunSql } from "../../../src/platform/db/engine.ts";
import { migrate } from "../../../src/platform/db/migrate.ts";
import { openPglite } from "../../../src/platform/db/pglite.ts";
import { openPostgres } from "../../../src/platform/db/postgres.ts";
import { copyDatabase, engines, silent } from "../../engines.ts";

const MIGRATIONS = new URL("../../../src/platform/db/migrations/", import.meta.url);
const PROVIDER = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";
const OPERATOR = "7c0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";
/** The nth id of our own. */
const id = (n: number) => `00000000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const [ADA, BO, CY] = [id(1), id(2), id(3)];

const JOBS = [
  "open",
  "filled",
  "blocked_mapping",
  "cancelled",
  "cancelled-by-us",
  "expired",
  "asked-to-cancel",
];
const jobOf = (name: string) => id(100 + JOBS.indexOf(name));
const statusOf = (name: string) =>
  ({ "cancelled-by-us": "cancelled", "asked-to-cancel": "open" })[name] ?? name;

const text = (value: string | null) => (value === null ? "null" : `'${value.replaceAll("'", "''")}'`);

/** Shift, event, status and verdict, as the version before stored them. */
const EVENTS: readonly (readonly [string, string, string, string | null])[] = [
  ["waiting", "shift.create", "queued", null],
  ["retried", "shift.create", "queued", "will be tried again: status 503"],
  [
    "given-up",
    "shift.create",
    "dead",
    "shift.create of shift given-up was given up after 12 tries; the last one: status 503.",
  ],
  ["created", "shift.create", "processed", "job created: open"],
  ["updated", "shift.update", "processed", "job updated: filled"],
  ["together", "shift.update", "processed", "read together with shift.create of trace t-created"],
  ["deleted", "shift.delete", "processed", "job cancelled"],
  ["deleted-again", "shift.delete", "processed", "nothing changed: the job is cancelled"],
  ["over", "shift.delete", "processed", "nothing changed: the shift is over"],
  ["never-seen", "shift.delete", "processed", "the shift is gone, and there was no job"],
  ["echoed", "shift.delete", "skipped_echo", "skipped: echo of our DELETE"],
  ["still-there", "shift.delete", "ignored", "The provider still shows the shift as open."],
  ["unknown", "shift.published", "ignored", null],
  ["broken", "shift.create", "failed", "The shift cannot be a job: end_not_after_start at /endTime."],
  ["forbidden", "shift.create", "failed", "GET of shift forbidden was answered with status 403."],
  ["odd", "shift.create", "failed", "something else"],
  ["open", "shift.reconcile", "queued", null],
];

const outcome = (code: string, params: object = {}) => ({ code, params });
const VERDICTS: Record<string, object | null> = {
  waiting: null,
  retried: null,
  "given-up": outcome("provider_unavailable", { attempts: 12 }),
  created: outcome("job_created", { jobStatus: "open" }),
  updated: outcome("job_updated", { jobStatus: "filled" }),
  together: outcome("covered_by", { event: "shift.create", traceId: "t-created" }),
  deleted: outcome("job_cancelled"),
  "deleted-again": outcome("already_cancelled"),
  over: outcome("shift_over"),
  "never-seen": outcome("no_job"),
  echoed: outcome("echo_of_delete"),
  "still-there": outcome("delete_not_confirmed"),
  unknown: null,
  broken: outcome("shift_unusable", { fault: "end_not_after_start", pointer: "/endTime" }),
  forbidden: outcome("provider_refused", { status: 403 }),
  odd: outcome("migrated"),
};

/** Job, candidate, status, reason, id at the provider, withdrawn, recalled. */
const BOOKINGS: readonly (readonly [
  string,
  string,
  string,
  string | null,
  string | null,
  boolean,
  boolean,
])[] = [
  ["open", ADA, "pending", null, null, false, false],
  ["open", BO, "pending", null, null, false, false],
  ["open", CY, "failed", "status_500", "p-cy", false, true],
  ["filled", ADA, "confirmed", null, "p-ada", false, false],
  ["filled", BO, "confirmed", null, "p-bo", true, false],
  ["filled", CY, "released", "shift_full", "p-cy", false, false],
  ["expired", ADA, "released", "withdrawn", "p-ada", false, false],
  ["expired", CY, "failed", "assignment_of_another", "p-cy", false, false],
];

/** What the booking of a job and candidate is now. */
const BOOKED: Record<string, object> = {
  [`open ${ADA}`]: { at_provider: "maybe", provider_candidate_id: "p-ada", isInDoubt: true, isSent: true },
  // Whose id at the provider was never learnt cannot have been assigned.
  [`open ${BO}`]: { at_provider: "no", provider_candidate_id: null, isInDoubt: false, isSent: false },
  [`open ${CY}`]: {
    ...{ at_provider: "maybe", isInDoubt: true, isSent: true },
    ...{ reason: "assignment_refused", reason_params: { status: 500 } },
  },
  [`filled ${ADA}`]: {
    at_provider: "yes",
    status: "confirmed",
    reason: null,
    isInDoubt: false,
    isSent: true,
  },
  [`filled ${BO}`]: { at_provider: "yes", status: "confirmed", isWithdrawn: true },
  [`filled ${CY}`]: { at_provider: "no", status: "released", reason: "shift_full", reason_params: {} },
  [`expired ${ADA}`]: { at_provider: "no", reason: "withdrawn" },
  [`expired ${CY}`]: {
    reason: "assignment_refused",
    reason_params: { providerCode: "assignment_of_another" },
  },
};

/** Kind, candidate, job, channel, delivered, withheld, error; and the error and whether it is withdrawn now. */
const NOTIFICATIONS = [
  ["job_offered", ADA, "open", "email", false, false, null, null, false],
  ["job_offered", BO, "open", null, false, false, null, null, false],
  ["job_offered", CY, "open", "email", true, false, null, null, false],
  ["job_offered", CY, "filled", "email", false, true, "the job is filled", "offer_withdrawn", true],
  ["job_offered", ADA, "filled", "email", true, false, null, null, true],
  [
    "booking_confirmed",
    ADA,
    "filled",
    "email",
    false,
    false,
    "will be tried again: the mail server answered 451",
    "mail_server_refused",
    false,
  ],
  [
    "booking_confirmed",
    BO,
    "filled",
    "email",
    false,
    false,
    "will be tried again: the mail server gave no answer (ESOCKET)",
    "mail_server_unreachable",
    false,
  ],
  [
    "shift_changed",
    BO,
    "filled",
    "email",
    false,
    false,
    "will be tried again: no TLS could be agreed on with the mail server",
    "tls_unavailable",
    false,
  ],
  [
    "shift_changed",
    CY,
    "filled",
    "email",
    false,
    false,
    "every try failed, the last one: the mail server answered 450",
    "gave_up",
    false,
  ],
  [
    "shift_changed",
    CY,
    "expired",
    "email",
    false,
    false,
    "the address cannot be used",
    "address_unusable",
    false,
  ],
] as const;

const STEPS: readonly (readonly [string, string, string, string?])[] = [
  ["fetch", "shift read (variant b; assumed_zone)", "shift_read"],
  ["fetch", "the provider has no such shift yet", "shift_absent"],
  ["fetch", "will be tried again: status 503", "will_retry"],
  ["fetch", "GET of shift s was answered with status 403.", "provider_refused"],
  ["fetch", "The shift cannot be a job: end_not_after_start at /endTime.", "shift_unusable"],
  ["job", "job created: open", "job_created"],
  ["job", "job expired: the shift has started, and the job was open", "job_expired"],
  ["match", "3 free with the competence, offered to 2", "candidates_matched"],
  ["notification", "offered to 2", "notified"],
  ["booking", "seat reserved", "seat_reserved"],
  ["booking", "failed: status_500", "booking_failed"],
  ["candidate", "found at the provider", "candidate_found"],
  ["candidate", "created at the provider", "candidate_created"],
  ["assign", "provider confirmed", "assigned"],
  ["unassign", "withdrawn: provider confirmed", "unassigned"],
  ["cancel", "cancellation requested", "cancellation_requested"],
  ["cancel", "provider confirmed the cancellation", "cancellation_confirmed"],
  ["cancel", "provider kept the shift: status 409", "cancellation_refused"],
  ["change", "change requested", "change_requested", '{"positions": 3}'],
  ["change", "the shift was not changed: status 409", "change_refused"],
  ["event", "shift.create queued again by an operator", "requeued"],
  ["event", "skipped: echo of our DELETE", "echo_of_delete"],
  ["registry", "entries 1 to 50: 3 imported, 4 updated, 43 skipped, 0 invalid", "registry_imported"],
  ["event", "something that no one wrote", "migrated"],
];

const ISSUES = [
  ["shift_unusable", "shift s-1", { kind: "shift", shiftId: "s-1" }],
  ["unassign_failed", `shift s-1, candidate ${ADA}`, { kind: "booking", shiftId: "s-1", candidateId: ADA }],
  ["outlet_not_mapped", "outlet o-9", { kind: "outlet", outletId: "o-9" }],
  ["role_not_mapped", "role r-9", { kind: "role", roleId: "r-9" }],
  ["notification_failed", "delivery of notifications", { kind: "mail_server" }],
  [
    "notification_failed",
    `delivery of notifications to candidate ${BO}`,
    { kind: "notification", candidateId: BO },
  ],
  ["provider_down", "calls", { kind: "integration" }],
  [
    "provider_check",
    "listRoles: body_missing",
    { kind: "operation", operation: "listRoles", finding: "body_missing" },
  ],
  ["provider_check_failed", "the provider's API", { kind: "integration" }],
] as const;

const CHANGES = [
  ["pending", null, null],
  ["refused", "status 409", "provider_refused"],
  ["refused", "the job was cancelled", "job_cancelled"],
  ["refused", "the shift is gone", "shift_gone"],
  ["refused", "every try failed, the last one: status 503", "provider_unavailable"],
  ["confirmed", null, null],
] as const;

/** Fills a database of the version before. */
async function fill(run: RunSql): Promise<void> {
  const all = async (statements: readonly string[]) => {
    for (const statement of statements) await run(`set search_path to shiftpact; ${statement}`);
  };
  const people = [ADA, BO, CY].map(
    (candidate, n) => `('${candidate}', 'n${n}', 'F', 'L', 'e@example.com', '')`,
  );
  await all([
    `insert into integrations (provider_id, kind, name, base_url, provider_token, state)
      values ('${PROVIDER}', 'probe', 'Probe', 'https://p.example', 't', 'active')`,
    `insert into platform_tokens (token_hash, provider_id) values ('h', '${PROVIDER}')`,
    `insert into candidates (candidate_id, personal_number, first_name, last_name, email, phone) values ${people.join()}`,
    `insert into provider_candidates (provider_id, candidate_id, provider_candidate_id)
      values ('${PROVIDER}', '${ADA}', 'p-ada'), ('${PROVIDER}', '${CY}', 'p-cy')`,
    `insert into tombstones (provider_id, shift_id, deleted_at) values ('${PROVIDER}', 'gone', '2026-01-01Z')`,
    `insert into shift_spellings values ('${PROVIDER}', 'gone', 'GONE'), ('${PROVIDER}', 'open', 'OPEN')`,
    `insert into figures (minute, name, provider_id, value) values ('2026-01-01Z', 'provider_calls', '${PROVIDER}', 7)`,
  ]);
  await all([
    ...jobs(),
    ...EVENTS.map(eventOf),
    ...BOOKINGS.map(bookingOf),
    ...NOTIFICATIONS.map(notificationOf),
  ]);
  await all([...STEPS.map(stepOf), ...ISSUES.map(issueOf), ...CHANGES.map(changeOf)]);
  await all([
    `insert into trace_steps (trace_id, step, verdict) values ('t', 'event', 'of no provider')`,
    `insert into issues (issue_id, code, subject, detail, remedy) values ('${OPERATOR}', 'provider_down', 'calls', 'd', 'r')`,
    `create schema pgboss; create table pgboss.job (id uuid); create type pgboss.state as enum ('a')`,
  ]);
}

function jobs(): string[] {
  const operation = (shift: string, n: number, echo: string) =>
    `insert into pending_operations (operation_id, provider_id, shift_id, operation, trace_id, expires_at, consumed_at, consumed_by)
      values ('${id(n)}', '${PROVIDER}', '${shift}', 'delete', 't', now() + interval '1 day', ${echo})`;
  return [
    ...JOBS.map(
      (
        name,
      ) => `insert into jobs (job_id, provider_id, shift_id, status, variant, start_time, end_time, positions,
        outlet_id, role_id, trace_id) values ('${jobOf(name)}', '${PROVIDER}', '${name}', '${statusOf(name)}', 'a',
        now() + interval '1 day', now() + interval '2 days', 2, 'o', 'r', 't')`,
    ),
    operation("asked-to-cancel", 201, "null, null"),
    operation("cancelled-by-us", 202, `now(), '${id(310)}'`),
  ];
}

const eventOf = ([shift, event, status, verdict]: (typeof EVENTS)[number], n: number) =>
  `insert into events (event_id, provider_id, event, shift_id, trace_id, status, verdict, attempts, received_at)
    values ('${id(300 + n)}', '${PROVIDER}', '${event}', '${shift}', 't-${shift}', '${status}', ${text(verdict)},
      ${status === "dead" ? 12 : 1}, '2026-01-01Z')`;

const bookingOf = (
  [job, candidate, status, reason, at, isWithdrawn, isRecalled]: (typeof BOOKINGS)[number],
  n: number,
) =>
  `insert into bookings (booking_id, job_id, candidate_id, provider_candidate_id, status, reason, trace_id, withdrawn_at, recalled_at)
    values ('${id(400 + n)}', '${jobOf(job)}', '${candidate}', ${text(at)}, '${status}', ${text(reason)}, 't',
      ${isWithdrawn ? "now()" : "null"}, ${isRecalled ? "now()" : "null"})`;

const notificationOf = (
  [kind, candidate, job, channel, isDelivered, isWithheld, error]: (typeof NOTIFICATIONS)[number],
  n: number,
) =>
  `insert into notifications (notification_id, candidate_id, job_id, kind, change_key, content, trace_id, channel,
      delivered_at, withheld_at, delivery_error)
    values ('${id(500 + n)}', '${candidate}', '${jobOf(job)}', '${kind}', '${kind === "job_offered" ? "offer" : n}', '{}', 't',
      ${text(channel)}, ${isDelivered ? "now()" : "null"}, ${isWithheld ? "now()" : "null"}, ${text(error)})`;

const stepOf = ([step, verdict, _code, detail = "{}"]: (typeof STEPS)[number]) =>
  `insert into trace_steps (trace_id, step, verdict, detail, provider_id, shift_id)
    values ('t', '${step}', ${text(verdict)}, '${detail}', '${PROVIDER}', 's')`;

const issueOf = ([code, subject]: (typeof ISSUES)[number], n: number) =>
  `insert into issues (issue_id, provider_id, code, subject, detail, remedy)
    values ('${id(600 + n)}', '${PROVIDER}', '${code}', ${text(subject)}, 'A sentence.', 'Another.')`;

const changeOf = ([status, reason]: (typeof CHANGES)[number], n: number) =>
  `insert into shift_changes (change_id, job_id, start_time, end_time, positions, status, reason, trace_id)
    values ('${id(700 + n)}', '${jobOf("filled")}', now(), now() + interval '1 hour', 2, '${status}', ${text(reason)}, 't')`;

/** A database of the version before, with rows of every kind; closed. */
async function makeBefore(engine: Engine) {
  const folder = await mkdtemp(join(tmpdir(), "shiftpact-before-"));
  const names = (await readdir(MIGRATIONS)).filter((name) => name < "010");
  for (const name of names) await copyFile(new URL(name, MIGRATIONS), join(folder, name));
  const dataDir = join(folder, "data");
  const postgres = engine === "postgres" ? await copyDatabase({ empty: true }) : undefined;
  const database = postgres ? openPostgres(postgres.where.url, silent) : await openPglite(dataDir, silent);
  await migrate(database.raw, pathToFileURL(`${folder}/`));
  await fill(database.raw.executeSql);
  await database.close();
  return {
    where: postgres?.where ?? { dataDir },
    remove: () => Promise.all([postgres?.remove(), rm(folder, { recursive: true })]),
  };
}

describe.each(engines)("the upgrade to one reconciler per shift on %s", (engine) => {
  let before: Awaited<ReturnType<typeof makeBefore>>;
  let database: Database;
  beforeAll(async () => {
    before = await makeBefore(engine);
    database = await openDatabase({ ...before.where, log: silent });
  });
  afterAll(async () => {
    await database.close();
    await before.remove();
  });

  it("keeps every event but the hourly ones, with its verdict as a code", async () => {
    const rows = await database.kysely
      .selectFrom("events")
      .select(["shift_id", "status", "verdict"])
      .execute();
    expect(Object.fromEntries(rows.map(({ shift_id, verdict }) => [shift_id, verdict]))).toEqual(VERDICTS);
    const kept = EVENTS.filter(([, event]) => event !== "shift.reconcile");
    const statuses = Object.fromEntries(rows.map(({ shift_id, status }) => [shift_id, status]));
    expect(statuses).toEqual(Object.fromEntries(kept.map(([shift, , status]) => [shift, status])));
  });

  it("knows the shifts: gone, spelt in capitals, and to be read at once", async () => {
    const rows = await database.kysely.selectFrom("shifts").selectAll().execute();
    const shifts = new Map(rows.map((row) => [row.shift_id, row]));
    expect(shifts.get("gone")).toMatchObject({
      spelling: "GONE",
      gone_at: new Date("2026-01-01Z"),
      next_read_at: null,
    });
    expect(shifts.get("open")).toMatchObject({ spelling: "OPEN", gone_at: null });
    const read = rows.filter(({ next_read_at }) => next_read_at !== null && next_read_at <= new Date());
    const due = ["open", "filled", "blocked_mapping", "asked-to-cancel", "waiting", "retried", "given-up"];
    expect(read.map(({ shift_id }) => shift_id).sort()).toEqual(due.sort());
  });

  it("says who cancelled a job, and which DELETE may still be under way", async () => {
    const { kysely } = database;
    const cancelled = kysely
      .selectFrom("jobs")
      .select(["shift_id", "cancelled_by"])
      .where("status", "=", "cancelled");
    expect(await cancelled.orderBy("shift_id").execute()).toEqual([
      { shift_id: "cancelled", cancelled_by: "absence" },
      { shift_id: "cancelled-by-us", cancelled_by: "employer" },
    ]);
    const operations = await kysely
      .selectFrom("pending_operations")
      .selectAll()
      .orderBy("operation_id")
      .execute();
    const time = expect.any(Date);
    expect(operations).toMatchObject([
      { shift_id: "asked-to-cancel", sent_at: time, confirmed_at: null, consumed_by: null },
      { shift_id: "cancelled-by-us", sent_at: time, confirmed_at: time, consumed_by: id(310) },
    ]);
  });

  it("takes every booking whose call may have been sent for one in doubt", async () => {
    const rows = await database.kysely.selectFrom("bookings").selectAll().execute();
    expect(rows).toHaveLength(BOOKINGS.length);
    for (const row of rows) {
      const job = JOBS.find((name) => jobOf(name) === row.job_id);
      const seen = {
        ...{ isInDoubt: row.doubt_since !== null, isSent: row.sent_at !== null },
        isWithdrawn: row.withdrawn_at !== null,
      };
      expect({ ...row, ...seen }).toMatchObject(
        BOOKED[`${job} ${row.candidate_id}`] ?? { booking: "expected" },
      );
      expect(row.provider_id).toBe(PROVIDER);
    }
  });

  it("keeps a change that is pending in doubt, and why one was refused as a code", async () => {
    const rows = await database.kysely.selectFrom("shift_changes").selectAll().orderBy("change_id").execute();
    expect(rows.map(({ status, reason }) => [status, reason])).toEqual(
      CHANGES.map(([status, , reason]) => [status, reason]),
    );
    expect(rows.map(({ sent_at }) => sent_at !== null)).toEqual(
      CHANGES.map(([status]) => status === "pending"),
    );
    expect(rows[0]?.named).toEqual(["startTime", "endTime", "positions"]);
  });

  it("withdraws the offers that do not hold, and gives up no further mail", async () => {
    const rows = await database.kysely
      .selectFrom("notifications")
      .selectAll()
      .orderBy("notification_id")
      .execute();
    expect(rows.map((row) => [row.delivery_error, row.withdrawn_at !== null])).toEqual(
      NOTIFICATIONS.map((each) => [each[7], each[8]]),
    );
    const offers = rows.filter(({ kind }) => kind === "job_offered");
    expect(new Set(offers.map(({ change_key }) => change_key))).toEqual(new Set(["offer-0"]));
  });

  it("keeps the steps of every trace in their order, as codes", async () => {
    const rows = await database.kysely.selectFrom("trace_steps").selectAll().orderBy("step_id").execute();
    expect(rows.map(({ step, code }) => [step, code])).toEqual(STEPS.map(([step, , code]) => [step, code]));
    const paramsOf = (code: string) => rows.find((row) => row.code === code)?.params;
    expect(paramsOf("shift_read")).toEqual({ variant: "b" });
    expect(paramsOf("job_created")).toEqual({ jobStatus: "open" });
    expect(paramsOf("change_requested")).toEqual({ positions: 3 });
  });

  it("keeps every issue of a provider, with its subject as a code", async () => {
    const rows = await database.kysely.selectFrom("issues").selectAll().orderBy("issue_id").execute();
    expect(rows.map(({ code, subject }) => [code, subject])).toEqual(
      ISSUES.map(([code, , subject]) => [code, subject]),
    );
  });

  it("has everything due that waited: bookings and orders first, then events, then the hourly reading, and mail", async () => {
    const rows = await database.kysely.selectFrom("work").selectAll().execute();
    const keys = (kind: string, priority: number) =>
      rows
        .filter((row) => row.kind === kind && row.priority === priority)
        .map(({ key }) => key)
        .sort();
    expect(keys("shift", 0)).toEqual(["asked-to-cancel", "filled", "open"]);
    expect(keys("shift", 1)).toEqual(["given-up", "retried", "waiting"]);
    expect(keys("shift", 2)).toEqual(["blocked_mapping"]);
    expect(keys("mail", 1)).toEqual([ADA, BO]);
    expect(rows).toHaveLength(9);
    expect(rows.every(({ claim, attempts }) => claim === null && attempts === 0)).toBe(true);
  });

  it("leaves nothing of the queue that was there before", async () => {
    const { rows } = await database.raw.executeSql(
      "select nspname from pg_namespace where nspname = 'pgboss' union all select tgname from pg_trigger where not tgisinternal",
    );
    expect(rows).toEqual([]);
  });
});
