import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { DAY_MS, SECOND_MS } from "../../src/contract/timestamp.ts";
import { useClock } from "./clock.ts";
import { engines, featureEngines, useEngine } from "./engines.ts";

describe.each(engines)("a clock that is set forward, on %s", (engine) => {
  const database = useEngine(engine);
  const clock = useClock(database);

  it("is that of statements, of defaults, of prepared statements, and of the platform", async () => {
    const { kysely, raw } = database();
    await raw.executeSql("create table public.clocked (at timestamptz default now())");
    const ahead = async () => {
      // The same text each time: its plan is kept.
      const { rows } = await sql<{ ms: number[] }>`
        with given as (insert into public.clocked default values returning at)
        select array[extract(epoch from now()), extract(epoch from clock_timestamp()), extract(epoch from at)]::float8[] as ms
        from given`.execute(kysely);
      const times = [clock.now().getTime(), ...(rows[0]?.ms ?? []).map((seconds) => seconds * SECOND_MS)];
      return times.map((ms) => Math.floor((ms - Date.now()) / DAY_MS + 0.5));
    };
    const days = [];
    // More often than the five runs after which a server keeps one plan for all values.
    for (let day = 0; day < 8; day += 1) {
      days.push(await ahead());
      await clock.forward(DAY_MS);
    }
    await raw.executeSql("drop table public.clocked");
    expect(days).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((day) => [day, day, day, day]));
  });

  it("shows the real time in the next test", () => {
    expect(Math.round((clock.now().getTime() - Date.now()) / DAY_MS)).toBe(0);
  });
});

for (const engine of featureEngines) {
  describe(`a database for a whole describe, on ${engine}`, () => {
    afterEach(async () => {
      await database().raw.executeSql(
        "insert into shiftpact.figures (provider_id, name, minute, value) values (gen_random_uuid(), 'late', now(), 1)",
      );
    });
    const database = useEngine(engine);

    it.for([1, 2])("is empty at the start, whatever the hooks of the test before wrote (%i)", async () => {
      const { rows } = await database().raw.executeSql("select name from shiftpact.figures");
      expect(rows).toEqual([]);
    });
  });
}
