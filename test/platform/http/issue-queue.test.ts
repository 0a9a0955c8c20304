import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Issue, IssueChanges, IssueCode } from "../../../generated/operations/types.ts";
import {
  HEALTH_BY_GRAVITY,
  issueCodes,
  issueText,
  URGENCIES,
  URGENCY_OF,
} from "../../../src/contract/operator-text.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { DECLARED } from "../../../src/platform/integrations/conditions.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { everyPage, ok } from "../../harness/operations.ts";
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

describe.each(featureEngines)("the lists of what needs an operator, on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  /** Issues of a code, each about another shift. */
  const raise = (code: IssueCode, count = 1) =>
    sql`insert into issues (provider_id, issue_id, code, subject, params, first_at, last_at)
      select ${organisation.providerId}::uuid, gen_random_uuid(), ${code}::text,
        jsonb_build_object('kind', 'shift', 'shiftId', nth::text), '{}', now(), now()
      from generate_series(1, ${count}::integer) as nth`.execute(database().kysely);

  it("have the most urgent issue first, however many newer ones there are, and every one once", async () => {
    await raise("token_rejected");
    await raise("outlet_not_mapped", 250);
    await raise("provider_check", 250);
    const codes: IssueCode[] = [];
    let cursor: string | undefined;
    do {
      const query = { order: "urgency" as const, limit: 200, ...(cursor && { cursor }) };
      const page = ok(await organisation.operations.listIssues({ params: { query } }));
      codes.push(...page.items.map(({ code }) => code));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(codes).toHaveLength(501);
    const ranks = codes.map((code) => URGENCIES.indexOf(URGENCY_OF[code]));
    expect(ranks).toEqual(ranks.toSorted());
    expect(codes[0]).toBe("token_rejected");
    const only = ok(
      await organisation.operations.listIssues({ params: { query: { code: "token_rejected" } } }),
    );
    expect(only.items).toHaveLength(1);
  });

  it("are counted by code, up to a limit that the count states", async () => {
    await raise("provider_check", 2);
    await raise("token_rejected");
    const count = async () => ok(await organisation.operations.countIssues({ params: { query: {} } }));
    expect(await count()).toEqual({
      total: { count: 3, exact: true },
      codes: [
        { code: "provider_check", count: 2 },
        { code: "token_rejected", count: 1 },
      ],
    });
    await raise("outlet_not_mapped", 10_000);
    expect((await count()).total).toEqual({ count: 10_000, exact: false });
    const [integration] = ok(await organisation.operations.listIntegrations({ params: { query: {} } })).items;
    expect(integration?.openIssues).toEqual({ count: 1_000, exact: false });
  });

  it("are ordered by the index, whose rule is that of the contract", async () => {
    const { kysely } = database();
    for (const code of issueCodes) await raise(code, 20);
    await sql`analyze issues`.execute(kysely);
    const { rows } = await sql<{ definition: string }>`
      select indexdef as definition from pg_indexes where indexname = 'issues_urgency'`.execute(kysely);
    const expression = /\(\(\s*(CASE.*END)\), issue_id/s.exec(rows[0]?.definition ?? "")?.[1] ?? "";
    const ranked = await sql<{ code: IssueCode; rank: number }>`
      select distinct code, ${sql.raw(expression)} as rank from issues`.execute(kysely);
    expect(Object.fromEntries(ranked.rows.map(({ code, rank }) => [code, URGENCIES[2 - rank]]))).toEqual(
      URGENCY_OF,
    );
  });

  it("have the providers that need attention first, by health and state", async () => {
    const { providerId, operations } = organisation;
    const list = async (query: object) =>
      ok(await operations.listProviderHealth({ params: { query } })).items.map((item) => item.providerId);
    const draft = crypto.randomUUID();
    const body = {
      providerId: draft,
      kind: "tempo",
      name: "Kajen",
      baseUrl: "http://127.0.0.1:9",
      routing: "path",
    };
    ok(await operations.createIntegration({ body: { ...body, providerToken: "provider-token" } as never }));
    const condition = { providerId, code: "unreachable", since: new Date() };
    await database().kysely.insertInto("conditions").values(condition).execute();
    await expect.poll(() => list({ order: "attention" })).toEqual([providerId, draft]);
    expect(await list({ order: "attention", limit: 1 })).toEqual([providerId]);
    expect(await list({ health: "unreachable" })).toEqual([providerId]);
    expect(await list({ health: "unreachable", state: "draft" })).toEqual([]);
    expect(await list({ state: "draft" })).toEqual([draft]);
    await database().kysely.deleteFrom("conditions").execute();
    await raiseOf(draft);
    expect(await list({ order: "attention" })).toEqual([draft, providerId]);
  });

  it("have each provider under the health that it is shown with alone, and the gravest first", async () => {
    const { kysely } = database();
    const codes = Object.keys(DECLARED);
    // One organisation for each set of conditions.
    const ids = Array.from({ length: 2 ** codes.length }, () => crypto.randomUUID());
    const row = { kind: "tempo", name: "Kajen", baseUrl: "https://p.example", providerToken: "t" };
    await kysely
      .insertInto("integrations")
      .values(ids.map((providerId) => ({ ...row, providerId, state: "suspended" as const })))
      .execute();
    const held = ids.flatMap((providerId, nth) =>
      codes.flatMap((code, bit) => ((nth >> bit) & 1 ? [{ providerId, code, since: new Date(bit) }] : [])),
    );
    await kysely.insertInto("conditions").values(held).execute();
    const own = new Set<string>(ids);
    await raiseOf(ids.toSorted().at(-1) ?? "");
    const list = async (query: object) => {
      const items = await everyPage((cursor) =>
        organisation.operations.listProviderHealth({ params: { query: { ...query, ...cursor } } }),
      );
      return items.filter(({ providerId }) => own.has(providerId));
    };
    // The backlogs of new organisations are read after some seconds.
    await expect.poll(() => list({})).toHaveLength(ids.length);
    const shown = await list({});
    expect(HEALTH_BY_GRAVITY).toEqual([
      "token_rejected",
      "mass_disappearance",
      "unreachable",
      "implausible",
      "route_missing",
      "rate_limited",
      "reachable",
    ]);
    expect(new Set(shown.map(({ health }) => health.code)).size).toBe(HEALTH_BY_GRAVITY.length);
    for (const code of HEALTH_BY_GRAVITY) {
      const ids = shown.filter(({ health }) => health.code === code).map(({ providerId }) => providerId);
      expect((await list({ health: code })).map(({ providerId }) => providerId)).toEqual(ids);
    }
    const ranked = shown.toSorted(
      (one, other) =>
        HEALTH_BY_GRAVITY.indexOf(one.health.code) - HEALTH_BY_GRAVITY.indexOf(other.health.code) ||
        other.openIssues - one.openIssues,
    );
    expect(await list({ order: "attention" })).toEqual(ranked);
    for (const table of ["issues", "conditions", "integrations"] as const)
      await kysely
        .deleteFrom(table)
        .where("providerId", "in", [...own])
        .execute();
  });

  const raiseOf = (providerId: string) =>
    sql`insert into issues (provider_id, issue_id, code, subject, params, first_at, last_at)
      values (${providerId}::uuid, gen_random_uuid(), 'provider_quiet', '{"kind": "integration"}', '{}', now(), now())`.execute(
      database().kysely,
    );

  it("have the operators of a role, valid or revoked", async () => {
    const { operations } = organisation;
    const add = async (name: string, role: "viewer" | "admin") =>
      ok(await operations.createOperator({ body: { name, role } })).operatorId;
    const gone = await add("Gone", "viewer");
    await add("Reader", "viewer");
    await add("Boss", "admin");
    await operations.revokeOperator({ params: { path: { operatorId: gone } } });
    const names = async (query: object) =>
      ok(await operations.listOperators({ params: { query } })).items.map(({ name }) => name);
    expect(await names({ state: "valid" })).toEqual(["Boss", "Reader"]);
    expect(await names({ state: "revoked" })).toEqual(["Gone"]);
    expect(await names({ role: "viewer" })).toEqual(["Reader", "Gone"]);
  });
});
