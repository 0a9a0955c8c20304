import { describe, expect, it } from "vitest";
import { faultsOf, orderFaultsOf } from "./captured-statements.ts";
import { lintStatement, organisationTables } from "./statement-rules.ts";

const BROKEN = [
  ["crosses_organisations", "jobs", "select * from jobs where job_id = $1"],
  ["crosses_organisations", "jobs", "select * from jobs where provider_id = $1 or job_id = $2"],
  ["crosses_organisations", "jobs", "select * from jobs where provider_id <> $1"],
  [
    "crosses_organisations",
    "bookings",
    "select * from jobs join bookings using (job_id) where jobs.provider_id = $1",
  ],
  ["crosses_organisations", "all_events", "select * from all_events where trace_id = $1"],
  ["crosses_organisations", "bookings", "update bookings set status = 'failed' where candidate_id = $1"],
  ["crosses_organisations", "work", "delete from work where kind = 'mail'"],
  [
    "crosses_organisations",
    "bookings",
    "select * from jobs where provider_id = $1 and exists (select 1 from bookings where bookings.job_id = jobs.job_id)",
  ],
  [
    "crosses_organisations",
    "jobs",
    "with all_jobs as (select * from jobs) select * from all_jobs where provider_id = $1",
  ],
  ["locks_organisations", "work", "select * from work where provider_id in ($1, $2) for update skip locked"],
  [
    "locks_organisations",
    "jobs",
    "select job_id from jobs where (provider_id, shift_id) in (select p, s from json_to_recordset($1) as a (p uuid, s text)) for share",
  ],
  [
    "volatile_in_conflict",
    "now",
    "insert into work values ($1) on conflict (key) do update set due_at = now()",
  ],
  [
    "volatile_in_conflict",
    "now",
    "insert into work values ($1) on conflict (key) do update set due_at = current_timestamp",
  ],
  [
    "volatile_in_conflict",
    "random",
    "insert into work values ($1) on conflict (key) do update set key = 'k' where random() > $2",
  ],
  [
    "volatile_in_case",
    "clock_timestamp",
    "update work set due_at = case when claim is null then clock_timestamp() end where provider_id = $1",
  ],
  ["volatile_in_case", "now", "update work set due_at = coalesce(due_at, now()) where provider_id = $1"],
  ["volatile_in_update", "random", "update notifications set link_salt = random() where provider_id = $1"],
  ["stable_over_columns", "now", "update work set due_at = now() + attempts * $2 where provider_id = $1"],
  [
    "stable_over_columns",
    "jsonb_build_object",
    "update work set key = jsonb_build_object('key', key) where provider_id = $1",
  ],
  ["empty_select_list", "select", "select 1 where exists (select from work where provider_id = $1)"],
  [
    "empty_select_list",
    "select",
    "select count(*) from (select from work where provider_id = $1 limit 9) as counted",
  ],
  ["lateral_limit", "due", "select * from roles cross join lateral (select * from work limit 1) as due"],
  ["lateral_limit", "due", "select * from roles cross join lateral (select * from work offset 0) as due"],
  [
    "grouping_sets",
    "group by",
    "select kind, count(*) from work where provider_id = $1 group by grouping sets ((), (kind))",
  ],
  [
    "grouping_sets",
    "group by",
    "select kind, count(*) from work where provider_id = $1 group by rollup (kind)",
  ],
] as const;

const SOUND = [
  "select * from jobs where provider_id = $1 and job_id = $2",
  "select * from jobs where provider_id = any ($1::uuid[])",
  "select * from jobs join bookings using (provider_id, job_id) where provider_id = $1",
  "select * from jobs as one join jobs as other on (other.provider_id, other.shift_id) = (one.provider_id, one.shift_id) where one.provider_id = $1",
  "select *, (select name from outlets where outlets.provider_id = jobs.provider_id) from jobs where provider_id = $1",
  `select asked.* from json_to_recordset($1) as asked ("providerId" uuid) join jobs on jobs.provider_id = asked."providerId"`,
  "with due as (select * from work where provider_id = $1 for update) delete from work using due where work.provider_id = due.provider_id",
  "update work set due_at = now(), attempts = attempts + 1 where provider_id = $1",
  "update work set due_at = now() + $2 * interval '1 second' where provider_id = $1",
  "insert into work (provider_id, due_at) values ($1, now()) on conflict (provider_id) do update set due_at = excluded.due_at",
  "select case when due_at > now() then 1 end from work where provider_id = $1",
  "select * from candidates where candidate_id = $1 for update",
];

describe("a statement that a distributed database does not take", () => {
  it.each(BROKEN)("%s (%s): %s", async (rule, subject, text) => {
    expect(await lintStatement(text, await organisationTables())).toContainEqual({ rule, subject });
  });

  it.each(SOUND)("is none of: %s", async (text) => {
    expect(await lintStatement(text, await organisationTables())).toEqual([]);
  });
});

it("the tables of organisations are those whose primary key begins with provider_id, and the views of them", async () => {
  const tables = await organisationTables();
  expect(["jobs", "integrations", "trace_steps", "all_events"].filter((name) => !tables.has(name))).toEqual(
    [],
  );
  expect(["candidates", "competences", "operators", "audit"].filter((name) => tables.has(name))).toEqual([]);
});

describe("the statements of a run", () => {
  const file = "jobs/job.ts";

  it("are reported with the file that makes them", async () => {
    const text = "select from jobs where provider_id = $1 for update";
    expect(await faultsOf([{ text, file }], false)).toEqual([
      `empty_select_list (select) in src/platform/${file}: ${text}`,
    ]);
  });

  it("make work due in one module", async () => {
    const text = "insert into work (provider_id, kind, key, priority) values ($1, $2, $3, 1)";
    expect(await faultsOf([{ text, file: "work/rows.ts" }], false)).toEqual([]);
    expect(await faultsOf([{ text, file }], false)).toEqual([
      expect.stringContaining(`not by src/platform/${file}`),
    ]);
  });

  it("may read every organisation where that is listed, and nowhere else", async () => {
    const text = "select provider_id from jobs where job_id = $1";
    expect(await faultsOf([{ text, file }], false)).toEqual([]);
    expect(await faultsOf([{ text, file: "jobs/change.ts" }], false)).toHaveLength(1);
  });

  it("need each exception, once every test has run", async () => {
    const text = "select provider_id from jobs where job_id = $1";
    const faults = await faultsOf([{ text, file }], true);
    expect(faults).toContain("no statement needs the exception of jobs/statistics.ts jobs");
    expect(faults).not.toContain("no statement needs the exception of jobs/job.ts jobs");
  });
});

describe("the order of locks of a transaction", () => {
  const orderOf = (...texts: string[]) =>
    orderFaultsOf([texts.map((text, nth) => ({ text, file: `${nth + 1}.ts` }))]);
  const JOB = "select 1 from jobs where provider_id = $1 and job_id = $2 for update";
  const PERSON =
    "insert into locks (key) values ($1) on conflict (key) do update set key = excluded.key where false";
  const ISSUE = "update issues set resolved_at = $1 where issue_id = $2";

  it.each([
    ["a job after a person", [PERSON, JOB], "jobs (2.ts) after locks (1.ts)"],
    [
      "bookings after an issue",
      [ISSUE, "update bookings set status = $1"],
      "bookings (2.ts) after issues (1.ts)",
    ],
    [
      "a person after bookings",
      ["select 1 from bookings as b for update of b", PERSON],
      "locks (2.ts) after bookings (1.ts)",
    ],
    [
      "a job in a common table after work",
      ["delete from work", `with held as (${JOB}) select 1 from held`],
      "jobs (2.ts) after work (1.ts)",
    ],
  ])("reports %s", async (_, texts, fault) => {
    expect(await orderOf(...texts)).toEqual([fault]);
  });

  it.each([
    ["the stated order", [JOB, PERSON, "update bookings set status = $1", ISSUE, "delete from work"]],
    ["a job that is locked already", [JOB, ISSUE, "update jobs set status = $1"]],
    ["rows that no one waits for", [ISSUE, `${JOB} skip locked`]],
    ["new rows", [ISSUE, "insert into jobs values ($1) on conflict do nothing"]],
    [
      "another table of a join",
      [ISSUE, "select 1 from jobs join outlets using (outlet_id) for update of outlets"],
    ],
  ])("takes %s", async (_, texts) => {
    expect(await orderOf(...texts)).toEqual([]);
  });
});
