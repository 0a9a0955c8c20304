import { randomUUID } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import type { RegistryImport } from "../../../generated/operations/types.ts";
import { hyphenated, type PersonalNumber } from "../../../src/contract/personal-number.ts";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";
import { type Asked, entryOf, numberAt, type Reply, startRegistry } from "../../harness/responders.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

/** Candidates belong to the whole platform, so each test has published numbers of its own. */
const numbersFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);
const counts = ({ faults: _, unreleased: __, ...rest }: RegistryImport) => rest;
const WRONG = published.invalid[0] ?? "";
const NOTHING = { imported: 0, updated: 0, skipped: 0, invalid: 0 };

describe.each(featureEngines)("importing the registry, on %s", (engine) => {
  const harness = useHarness(engine, {
    calls: { perMinute: 0 },
    timing: { onboardingRetriesMs: [1, 1, 1] },
  });
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((registry) => registry.close()));
  });

  const provider = async (reply: (asked: Asked) => Reply) => {
    const { operations } = harness();
    const registry = await startRegistry(reply);
    open.push(registry);
    const params = { path: { providerId: randomUUID() } };
    const order = { providerId: params.path.providerId, kind: "probe", name: "Kvarteret" };
    const body = {
      ...order,
      baseUrl: registry.url,
      routing: "path",
      providerToken: "a-provider-token",
    } as const;
    ok(await operations.createIntegration({ body }));
    return {
      asked: registry.asked,
      run: () => operations.importRegistry({ params }),
      issues: async () =>
        ok(await operations.listIssues({ params: { query: { providerId: params.path.providerId } } })).items,
    };
  };
  const person = async (nth: number) => {
    const { operations } = harness();
    const reason = "the test looks";
    for (let cursor: string | undefined; ; ) {
      const query = { limit: 200, ...(cursor !== undefined && { cursor }) };
      const { items, nextCursor } = ok(await operations.listCandidates({ params: { query } }));
      for (const { candidateId, lastName } of items) {
        const params = { path: { candidateId } };
        if (lastName === `Ek ${nth}`)
          return ok(await operations.revealCandidate({ params, body: { reason } }));
      }
      if (nextCursor === undefined) return undefined;
      cursor = nextCursor;
    }
  };

  it("reads page by page, and skips all entries the second time", async () => {
    const people = numbersFrom(0, 5).map((nth) => entryOf(nth));
    const { run, asked } = await provider(({ cursor }) => {
      const start = Number(cursor ?? 0);
      const rest = people.length > start + 2 ? { nextCursor: `${start + 2}` } : { nextCursor: null };
      return { candidates: people.slice(start, start + 2), ...rest };
    });
    expect(ok(await run())).toEqual({ ...NOTHING, imported: 5, unreleased: 5, faults: [] });
    expect(asked).toEqual([null, "2", "4"].map((cursor) => ({ limit: "200", cursor })));
    expect(ok(await run())).toEqual({ ...NOTHING, skipped: 5, unreleased: 5, faults: [] });
    expect(await person(3)).toMatchObject({
      personalNumber: numberAt(3),
      memberships: [{ email: "robin.3@example.com" }],
    });
  });

  it("raises an issue about an address that more than three people share, until they no longer do", async () => {
    let emails = ["Ek@Example.com", "ek@example.com", "ek+1@example.com"];
    const { run, issues } = await provider(() => ({
      candidates: emails.map((email, nth) => ({ ...entryOf(470 + nth), email })),
    }));
    ok(await run());
    expect(await issues()).toEqual([]);
    emails = [...emails, "ek+2@example.com"];
    ok(await run());
    expect(await issues()).toMatchObject([{ code: "address_shared", params: { count: 1 } }]);
    const { candidateId = "" } = (await person(472)) ?? {};
    const params = { path: { candidateId } };
    ok(await harness().operations.changeCandidate({ params, body: { email: "own@example.com" } }));
    ok(await run());
    expect(await issues()).toEqual([]);
  });

  it("imports all entries of a provider that ignores limit and cursor", async () => {
    const people = numbersFrom(100, 250).map((nth) => entryOf(nth));
    const { run, asked } = await provider(() => ({ candidates: people }));
    expect(counts(ok(await run()))).toEqual({ ...NOTHING, imported: 250 });
    expect(asked).toHaveLength(1);
    expect(counts(ok(await run()))).toEqual({ ...NOTHING, skipped: 250 });
  });

  it("counts and explains the entries that cannot be used, without personal data, and takes the others", async () => {
    const rows: [entry: unknown, reason?: string | RegExp][] = [
      [entryOf(20)],
      [entryOf(21, { personalNumber: WRONG }), "its personal number is not one"],
      [entryOf(21, { personalNumber: numberAt(21).slice(2) }), "its personal number is not one"],
      [{ ...entryOf(21), personalNumber: undefined }, /^personal number /],
      [{ ...entryOf(21), id: 7 }, /^id /],
      [entryOf(21, { firstName: null }), "its name is missing"],
      [entryOf(21, { lastName: "  " }), "its name is missing"],
      [entryOf(21, { firstName: "x".repeat(101) }), "its name is not usable"],
      [entryOf(21, { firstName: "a\0b" }), "its name is not usable"],
      [entryOf(21, { id: "a\0b" }), /^id /],
      ["Robin Ek", /./],
      [null, /./],
      [entryOf(20, { id: "another" }), "its personal number came before"],
      [
        entryOf(20, { personalNumber: hyphenated(numberAt(20) as PersonalNumber) }),
        "its personal number came before",
      ],
      [entryOf(22, { email: "a\0@b.example", phone: "\ud800", address: "\0" })],
    ];
    const { run } = await provider(() => ({ candidates: rows.map(([entry]) => entry) }));
    const answer = ok(await run());
    expect(counts(answer)).toEqual({ ...NOTHING, imported: 2, invalid: 13 });
    const expected = rows.flatMap(([, reason], index) =>
      reason === undefined
        ? []
        : [{ entry: index + 1, reason: typeof reason === "string" ? reason : expect.stringMatching(reason) }],
    );
    expect(answer.faults).toEqual(expected);
    const said = JSON.stringify(answer.faults);
    for (const value of [numberAt(20), WRONG, "Robin", "Ek", "example.com"])
      expect(said).not.toContain(value);
    expect(await person(22)).toMatchObject({ memberships: [{ email: "", phone: "" }] });
  });

  it("names a hundred faults at most, and counts them all", async () => {
    const { run } = await provider(() => ({ candidates: Array.from({ length: 150 }, () => "no entry") }));
    const { faults, invalid } = ok(await run());
    expect([faults.length, invalid]).toEqual([100, 150]);
  });

  it("fills in missing fields only: the platform owns the profiles", async () => {
    const { operations } = harness();
    const bare = entryOf(30, { email: null, phone: null });
    let entry = bare;
    const { run } = await provider(() => ({ candidates: [entry] }));
    expect(counts(ok(await run()))).toMatchObject({ imported: 1 });
    expect(await person(30)).toMatchObject({ memberships: [{ email: "", phone: "" }] });
    entry = entryOf(30, { firstName: "Other" });
    expect(counts(ok(await run()))).toMatchObject({ updated: 1 });
    const filled = { firstName: "Robin", email: "robin.30@example.com", phone: "+46701740605" };
    expect(await person(30)).toMatchObject({ memberships: [filled] });
    entry = entryOf(30, { email: "another@example.com", phone: "+46000000" });
    expect(counts(ok(await run()))).toMatchObject({ skipped: 1 });
    expect(await person(30)).toMatchObject({ memberships: [filled] });

    const own = { firstName: "Own", lastName: "Ek 31", email: "own@example.com", phone: "+46701740609" };
    const body = { ...own, personalNumber: numberAt(31), competenceIds: [] };
    ok(await operations.createCandidate({ body }));
    entry = entryOf(31, { personalNumber: hyphenated(numberAt(31) as PersonalNumber) });
    // Who the person is at the provider was missing.
    expect(counts(ok(await run()))).toMatchObject({ updated: 1 });
    expect(counts(ok(await run()))).toMatchObject({ skipped: 1 });
    expect(await person(31)).toMatchObject(own);
    entry = { ...entry, id: "the provider merged two entries" };
    expect(counts(ok(await run()))).toMatchObject({ updated: 1 });
  });

  it("can run at two organisations at once", async () => {
    const people = numbersFrom(40, 20).map((nth) => entryOf(nth));
    const { run } = await provider(() => ({ candidates: people }));
    const { run: other } = await provider(() => ({ candidates: people.toReversed() }));
    const results = (await Promise.all([run(), other()])).map((answer) => ok(answer));
    expect(results.map(({ imported }) => imported).reduce((sum, each) => sum + each)).toBe(20);
    expect(results.every(({ imported, updated, skipped }) => imported + updated + skipped === 20)).toBe(true);
  });

  it("gives a candidate the competence of a mapped role in the work history, unless the platform has decided on it", async () => {
    const { operations, onboard } = harness();
    const { provider: sandbox, params, competenceId, addPerson } = await onboard({ connect: false });
    const roleId = sandbox.roles[0]?.id ?? "";
    const workHistory = [{ roleId }, { roleId }, { roleId: "of an unmapped role" }, {}];
    sandbox.addCandidate({ personalNumber: numberAt(60), lastName: "Able", workHistory });
    sandbox.addCandidate({ personalNumber: numberAt(61), lastName: "New" });
    const { competenceId: other } = ok(await operations.createCompetence({ body: { name: randomUUID() } }));
    await addPerson({ personalNumber: numberAt(62), lastName: "Known", competenceIds: [other] });
    sandbox.addCandidate({ personalNumber: numberAt(62), workHistory });
    ok(await operations.importRegistry({ params }));
    const { items } = ok(await operations.listCandidates({ params: { query: { limit: 200 } } }));
    const competencesOf = (name: string) => {
      const person = items.find(({ lastName }) => lastName === name);
      return [person?.competenceIds, ...(person?.memberships ?? []).map((each) => each.competenceIds)];
    };
    expect(competencesOf("Able")).toEqual([[], [competenceId]]);
    expect(competencesOf("New")).toEqual([[], []]);
    expect(competencesOf("Known")).toEqual([[other], []]);
    expect(counts(ok(await operations.importRegistry({ params })))).toMatchObject({
      imported: 0,
      updated: 0,
      invalid: 0,
    });
  });

  it("stops when a cursor is repeated, and names the fault", async () => {
    const { run, asked } = await provider(() => ({ candidates: [entryOf(70)], nextCursor: "again" }));
    const { faults, unreleased: _, ...rest } = ok(await run());
    expect(rest).toEqual({ ...NOTHING, imported: 1, invalid: 1 });
    expect(faults.at(-1)).toEqual({
      entry: 2,
      reason: expect.stringContaining("a cursor for the second time"),
    });
    expect(asked).toHaveLength(2);
  });

  it("stops when a cursor cannot be sent back, and names the fault", async () => {
    const { run, asked } = await provider(() => ({ candidates: [entryOf(71)], nextCursor: "a\ud800" }));
    const { faults, unreleased: _, ...rest } = ok(await run());
    expect(rest).toEqual({ ...NOTHING, imported: 1 });
    expect(faults).toEqual([{ entry: 1, reason: expect.stringContaining("cannot be sent") }]);
    expect(asked).toHaveLength(1);
  });

  it("stops after a thousand pages", async () => {
    let page = 0;
    const { run, asked } = await provider(() => ({ candidates: [], nextCursor: `${page++}` }));
    const { faults } = ok(await run());
    expect(faults).toEqual([{ entry: 0, reason: expect.stringContaining("more than 1000 pages") }]);
    expect(asked).toHaveLength(1_000);
  });

  it.each([
    [404, 409, "registry_absent"],
    [405, 409, "registry_absent"],
    [410, 409, "registry_absent"],
    [501, 409, "registry_absent"],
    [401, 502, "provider_unavailable"],
    [500, 502, "provider_unavailable"],
    [{ people: [] }, 502, "provider_unavailable"],
    [{ candidates: [], nextCursor: 7 }, 502, "provider_unavailable"],
    [[], 502, "provider_unavailable"],
  ])("of a provider that responds with %j is %d %s", async (reply, status, code) => {
    const { run } = await provider(() => reply);
    expect((await run()).error).toMatchObject({ status, code });
  });

  it("keeps the earlier pages when a later one cannot be read, and reports that it may be run again", async () => {
    let isWell = false;
    const { run } = await provider(({ cursor }) => {
      if (cursor === null) return { candidates: [entryOf(80)], nextCursor: "2" };
      return isWell ? { candidates: [entryOf(81)] } : 503;
    });
    const detail = expect.stringMatching(/^Page 2 .* running the import again is safe\.$/);
    expect((await run()).error).toMatchObject({ code: "provider_unavailable", detail });
    isWell = true;
    expect(counts(ok(await run()))).toEqual({ ...NOTHING, imported: 1, skipped: 1 });
  });

  it("requests a page without a response again, and no page before it", async () => {
    const failures = [503, 429, 408];
    const { run, asked } = await provider(({ cursor }) => {
      if (cursor === null) return { candidates: [entryOf(82)], nextCursor: "2" };
      return failures.pop() ?? { candidates: [entryOf(83)] };
    });
    expect(counts(ok(await run()))).toEqual({ ...NOTHING, imported: 2 });
    expect(asked.map(({ cursor }) => cursor)).toEqual([null, "2", "2", "2", "2"]);
  });

  it("of an unknown organisation is a 404", async () => {
    const { operations } = harness();
    const params = { path: { providerId: randomUUID() } };
    expect((await operations.importRegistry({ params })).error).toMatchObject({ code: "provider_not_found" });
  });
});
