import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { IssueCode } from "../../../generated/operations/types.ts";
import { URGENCIES, URGENCY_OF } from "../../../src/contract/issue-urgency.ts";
import { HEALTH_BY_GRAVITY, issueCodes } from "../../../src/contract/operator-text.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { everyPage, ok } from "../../harness/operations.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";

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
    await sql`update integrations set health = 'unreachable' where provider_id = ${providerId}`.execute(
      database().kysely,
    );
    await expect.poll(() => list({ order: "attention" })).toEqual([providerId, draft]);
    expect(await list({ order: "attention", limit: 1 })).toEqual([providerId]);
    expect(await list({ health: "unreachable" })).toEqual([providerId]);
    expect(await list({ health: "unreachable", state: "draft" })).toEqual([]);
    expect(await list({ state: "draft" })).toEqual([draft]);
    await sql`update integrations set health = 'reachable' where provider_id = ${providerId}`.execute(
      database().kysely,
    );
    await raiseOf(draft);
    expect(await list({ order: "attention" })).toEqual([draft, providerId]);
  });

  it("have each provider under the health that it is shown with alone, and the gravest first", async () => {
    const { kysely } = database();
    const { rows } = await sql<{ id: string }>`
      insert into integrations (provider_id, kind, name, base_url, provider_token, state, paused_since, held_since, health, routes)
      select gen_random_uuid(), 'tempo', 'Kajen', 'https://p.example', 't', 'suspended', paused.at, held.at, health, routes
      from (values (null), (timestamptz '2026-01-01')) as paused (at), (values (null), (timestamptz '2026-01-02')) as held (at),
        unnest(array['reachable', 'unreachable', 'rate_limited', 'implausible']) as health,
        (values (jsonb '{}'), ('{"assign": {"recoveries": 1}}'), ('{"assign": {"since": "2026-01-03T00:00:00Z", "recoveries": 0}}')) as known (routes)
      returning provider_id as id`.execute(kysely);
    const own = new Set(rows.map(({ id }) => id));
    await raiseOf([...own].sort().at(-1) ?? "");
    const list = async (query: object) => {
      const items = await everyPage((cursor) =>
        organisation.operations.listProviderHealth({ params: { query: { ...query, ...cursor } } }),
      );
      return items.filter(({ providerId }) => own.has(providerId));
    };
    // The backlogs of new organisations are read after some seconds.
    await expect.poll(() => list({})).toHaveLength(48);
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
    await kysely
      .deleteFrom("issues")
      .where("providerId", "in", [...own])
      .execute();
    await kysely
      .deleteFrom("integrations")
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
