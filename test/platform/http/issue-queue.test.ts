import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Issue, IssueChanges, IssueCode } from "../../../generated/operations/types.ts";
import { issueText } from "../../../src/contract/operator-text.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

describe.each(featureEngines)("the queue of issues, on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  /** Issues with one cause, each about another shift. */
  const raise = (code: IssueCode, status: number, shiftIds: string[]) =>
    sql`insert into issues (provider_id, issue_id, code, subject, params, first_at, last_at)
      select ${organisation.providerId}::uuid, gen_random_uuid(), ${code}::text,
        jsonb_build_object('kind', 'shift', 'shiftId', shift),
        jsonb_build_object('failure', 'http_error', 'status', ${status}::integer), now(), now()
      from unnest(string_to_array(${shiftIds.join(",")}, ',')) as shift`.execute(database().kysely);
  const ids = (count: number) => Array.from({ length: count }, () => randomUUID());
  const groups = async (query: object = {}) =>
    ok(await organisation.operations.listIssueGroups({ params: { query } })).items;
  const list = async (query: object = {}): Promise<Issue[]> =>
    ok(await organisation.operations.listIssues({ params: { query } })).items;
  const change = async (body: IssueChanges) => ok(await organisation.operations.changeIssues({ body }));

  it("has a group for each cause at an organisation, the most urgent first, and resolves it at once", async () => {
    const { providerId } = organisation;
    await raise("change_refused", 500, ids(3));
    await raise("provider_refused", 422, ids(40));
    await raise("provider_refused", 404, ids(2));
    const of = { providerId };
    expect(await groups(of)).toMatchObject([
      { code: "provider_refused", cause: "http_error 404", count: 2, jobs: 2 },
      { code: "provider_refused", cause: "http_error 422", count: 40, jobs: 40 },
      { code: "change_refused", cause: "http_error 500", count: 3 },
    ]);
    const group = { providerId, code: "provider_refused", cause: "http_error 422" } as const;
    expect(await list(group)).toHaveLength(40);
    expect(await change({ ...group, resolve: true })).toEqual({ changed: 40, more: false });
    expect(await change({ ...group, resolve: true })).toEqual({ changed: 0, more: false });
    expect((await groups(of)).map(({ count }) => count)).toEqual([2, 3]);
    const [resolved] = await list({ ...of, state: "resolved" });
    expect(resolved).toMatchObject({ history: [{ by: "first admin", resolved: true }] });
    expect(resolved?.resolvedAt).toBeDefined();
  });

  // The embedded database has one transaction at a time.
  it.skipIf(engine === "pglite")("resolves a hold beside a run that holds deletions", async () => {
    const { providerId } = organisation;
    const { kysely } = database();
    await raise("mass_disappearance", 404, ids(1));
    const waiting = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(kysely);
      return rows[0]?.count ?? 0;
    };
    // As a run locks them: the integration, then its issue.
    const { resolving } = await kysely.transaction().execute(async (trx) => {
      await sql`select 1 from integrations where provider_id = ${providerId} for update`.execute(trx);
      const resolved = change({ providerId, code: "mass_disappearance", resolve: true });
      await expect.poll(waiting).toBeGreaterThan(0);
      await sql`update issues set count = count + 1 where provider_id = ${providerId}`.execute(trx);
      return { resolving: resolved };
    });
    expect(await resolving).toEqual({ changed: 1, more: false });
  });

  it("names the outlet, and how many shifts wait for it", async () => {
    const outletId = organisation.provider.outlets[0]?.id ?? "";
    await sql`update outlets set workplace_id = null, name = 'Södermalm' where outlet_id = ${outletId}`.execute(
      database().kysely,
    );
    const jobs = [await organisation.open({ outletId }), await organisation.open({ outletId })];
    const [issue] = await list({ providerId: organisation.providerId });
    if (!issue) throw new Error("an issue about the outlet is open");
    expect(issueText(issue).detail).toBe(
      "2 shifts wait for the outlet Södermalm, which is not mapped to a workplace.",
    );
    expect(await groups({ providerId: organisation.providerId })).toMatchObject([{ count: 1, jobs: 2 }]);
    const ofJob = await list({ jobId: jobs[0]?.jobId });
    expect(ofJob.map(({ issueId }) => issueId)).toEqual([issue.issueId]);
  });

  it("shows the job of a shift by its names, and only the issues of that job on its page", async () => {
    const [job, other] = [await organisation.open(), await organisation.open()];
    await raise("change_refused", 409, [job.shiftId, other.shiftId]);
    const issues = await list({ jobId: job.jobId });
    expect(issues).toMatchObject([
      { subject: { shiftId: job.shiftId }, job: { jobId: job.jobId, startTime: job.startTime } },
    ]);
    expect(issues[0]?.job?.workplaceId).toBe(organisation.workplaceId);
  });

  it("assigns issues to an operator who exists, and snoozes them until a time", async () => {
    const { providerId } = organisation;
    await raise("provider_refused", 422, ids(2));
    const name = `Anna ${randomUUID()}`;
    ok(await organisation.operations.createOperator({ body: { name, role: "operator" } }));
    const [first, second] = await list({ providerId });
    if (!first || !second) throw new Error("two issues are open");
    await change({ issueIds: [first.issueId], assignedTo: name });
    expect(await list({ assignedTo: name })).toMatchObject([{ issueId: first.issueId, assignedTo: name }]);
    const snoozedUntil = new Date(Date.now() + HOUR_MS).toISOString();
    await change({ issueIds: [first.issueId], snoozedUntil });
    const ofCode = { providerId, code: "provider_refused" } as const;
    expect(await change({ ...ofCode, state: "snoozed", assignedTo: null })).toMatchObject({ changed: 1 });
    expect(await list({ providerId })).toMatchObject([{ issueId: second.issueId }]);
    expect(await groups({ providerId })).toMatchObject([{ count: 1 }]);
    expect(await list({ providerId, state: "snoozed" })).toMatchObject([
      {
        snoozedUntil,
        history: [{ assignedTo: name }, { snoozedUntil, by: "first admin" }, { assignedTo: null }],
      },
    ]);
    const counts = await organisation.operations.countIssues({ params: { query: { providerId } } });
    expect(ok(counts).total.count).toBe(1);
    await expect.poll(organisation.metrics).toContain('shiftpact_open_issues{code="provider_refused"} 1');
    await change({ issueIds: [first.issueId], snoozedUntil: null });
    expect(await list({ providerId })).toHaveLength(2);
    for (let nth = 0; nth < 25; nth += 1)
      await change({ issueIds: [first.issueId], assignedTo: nth % 2 === 0 ? name : null });
    const again = { issueIds: [first.issueId], assignedTo: name };
    expect(await change(again), "as it is already").toEqual({ changed: 0, more: false });
    const issue = (await list({ providerId })).find(({ issueId }) => issueId === first.issueId);
    expect(issue?.history).toHaveLength(20);
  });

  it.each<[string, IssueChanges, string]>([
    ["names neither issues nor a group", { resolve: true }, "/issueIds"],
    ["changes nothing", { issueIds: [randomUUID()] }, ""],
    [
      "names an operator who does not exist",
      { issueIds: [randomUUID()], assignedTo: "No One" },
      "/assignedTo",
    ],
    [
      "snoozes until a time in the past",
      { issueIds: [randomUUID()], snoozedUntil: "2020-01-01T00:00:00Z" },
      "/snoozedUntil",
    ],
  ])("refuses a change that %s", async (_, body, pointer) => {
    const { error } = await organisation.operations.changeIssues({ body });
    expect(error).toMatchObject({ status: 400, errors: [{ pointer }] });
  });
});
