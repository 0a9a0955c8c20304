import { describe, expect, it } from "vitest";
import type { Subject } from "../../../generated/operations/types.ts";
import { engines, useEngine } from "../../harness/engines.ts";

/** No row of these is deleted, and jobs are read in the order of their start: an index would cost each new job. */
const UNINDEXED = ["jobs (competence_id)", "jobs (workplace_id)"];

describe.each(engines)("the schema on %s", (engine) => {
  const database = useEngine(engine);

  it("has an index that begins with the columns of each foreign key", async () => {
    const { rows } = await database().raw.executeSql(`
      select key.conrelid::regclass::text || ' (' || (select string_agg(attname, ', ' order by attname) from pg_attribute
        where attrelid = key.conrelid and attnum = any (key.conkey)) || ')' as key
      from pg_constraint as key where contype = 'f' and conparentid = 0 and not exists (
        select 1 from pg_index where indrelid = key.conrelid and indpred is null
          and (string_to_array(indkey::text, ' ')::int2[])[1:cardinality(key.conkey)] @> key.conkey)
      order by 1`);
    expect(rows.map(({ key }) => String(key).replace("shiftpact.", ""))).toEqual(UNINDEXED);
  });

  const STEP = { providerId: crypto.randomUUID(), traceId: "t", step: "job", code: "job_created" } as const;

  it("gives counts as numbers, times as Dates and jsonb as values", async () => {
    const { kysely } = database();
    const params = { warnings: ["ä"], attempts: 1 };
    await kysely
      .insertInto("traceSteps")
      .values({ ...STEP, stepId: crypto.randomUUID(), params: JSON.stringify(params) })
      .execute();
    const row = await kysely.selectFrom("traceSteps").selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ at: expect.any(Date), params });
    const { n } = await kysely
      .selectFrom("traceSteps")
      .select(({ fn }) => fn.countAll<number>().as("n"))
      .executeTakeFirstOrThrow();
    expect(n).toBe(1);
  });

  it("accepts a jsonb array as text", async () => {
    const { kysely } = database();
    const providerId = crypto.randomUUID();
    await kysely
      .insertInto("integrations")
      .values({ providerId, kind: "k", name: "n", baseUrl: "https://p.example", providerToken: "t" })
      .execute();
    const shift = { shiftId: "s", status: "open", variant: "a", positions: 1, traceId: "t" } as const;
    const times = { startTime: new Date(0), endTime: new Date(1) };
    const written = await kysely
      .insertInto("jobs")
      .values({ ...shift, ...times, providerId, jobId: crypto.randomUUID(), outletId: "o", roleId: "r" })
      .returning(["warnings", "ownPeople"])
      .executeTakeFirstOrThrow();
    expect(written).toEqual({ warnings: [], ownPeople: [] });
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
    const open = (providerId: string, subject: Subject) =>
      kysely
        .insertInto("issues")
        .values({
          providerId,
          issueId: crypto.randomUUID(),
          code: "unassign_failed",
          subject: JSON.stringify(subject),
        })
        .execute();
    await open(one, { kind: "booking", shiftId: "s", candidateId: "c" });
    const reordered = open(one, { candidateId: "c", shiftId: "s", kind: "booking" });
    await expect(reordered).rejects.toThrow(/issues_open/);
    await open(one, { kind: "booking", shiftId: "s", candidateId: "d" });
    await open(crypto.randomUUID(), { kind: "booking", shiftId: "s", candidateId: "c" });
    await kysely.updateTable("issues").set({ resolvedAt: new Date() }).execute();
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
