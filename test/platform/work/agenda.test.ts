import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { SECOND_MS } from "../../../src/contract/timestamp.ts";
import { Agenda } from "../../../src/platform/work/agenda.ts";
import { engines, useEngine } from "../../harness/engines.ts";
import { addIntegration, mark, shift } from "../../harness/work-rows.ts";

const all = () => true;

describe.each(engines)("the agenda of a process, on %s", (engine) => {
  const database = useEngine(engine);

  it("names an organisation once for each time that something becomes due, and then leaves it to its caller", async () => {
    const [one, other] = [await addIntegration(database()), await addIntegration(database())];
    const agenda = new Agenda();
    await mark(database(), shift(one, "a"));
    expect(await agenda.take(database(), all)).toEqual([one]);
    agenda.add([other, other]);
    expect(await agenda.take(database(), all)).toEqual([other]);
    expect(await agenda.take(database(), all)).toEqual([]);
  });

  it("keeps an organisation that is not wanted", async () => {
    const [one, other] = [await addIntegration(database()), await addIntegration(database())];
    const agenda = new Agenda();
    agenda.add([one, other]);
    expect(await agenda.take(database(), (id) => id === other)).toEqual([other]);
    expect(await agenda.take(database(), all)).toEqual([one]);
  });

  it("finds what another process made due, and no mail", async () => {
    const [one, other] = [await addIntegration(database()), await addIntegration(database())];
    const agenda = new Agenda();
    await mark(database(), shift(one, "a"));
    await agenda.take(database(), all);
    await mark(database(), shift(other, "b"), shift(await addIntegration(database()), "c", { kind: "mail" }));
    expect(await agenda.take(database(), all), "nothing has asked for a reading").toEqual([]);
    agenda.expire();
    expect(await agenda.take(database(), all)).toContain(other);
  });

  it("finds after ten seconds what was due long before its commit", async () => {
    let now = 0;
    const [one, late] = [await addIntegration(database()), await addIntegration(database())];
    const agenda = new Agenda(() => now);
    await mark(database(), shift(one, "a"));
    await agenda.take(database(), all);
    await database().kysely.deleteFrom("work").execute();
    await mark(database(), shift(late, "b"));
    await sql`update work set due_at = due_at - interval '1 hour'`.execute(database().kysely);
    agenda.expire();
    expect(await agenda.take(database(), all)).toEqual([]);
    now = 10 * SECOND_MS;
    agenda.expire();
    expect(await agenda.take(database(), all)).toEqual([late]);
  });

  it("reads again after a reading that failed", async () => {
    const providerId = await addIntegration(database());
    await mark(database(), shift(providerId, "a"));
    const agenda = new Agenda();
    await expect(agenda.take({ kysely: undefined as never }, all)).rejects.toThrow();
    expect(await agenda.take(database(), all)).toEqual([providerId]);
  });
});
