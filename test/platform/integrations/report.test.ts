import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createFieldUses } from "../../../src/platform/integrations/field-uses.ts";
import { featureEngines, silent, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";

const countsOf = (fields: readonly { field: string; count: number }[]) =>
  Object.fromEntries(fields.map(({ field, count }) => [field, count]));

describe.each(featureEngines)("the report of what a provider uses, on %s", (engine) => {
  const harness = useHarness(engine, { timing: { hourlyMs: 100 } });

  it("counts the optional fields with a value, and the warnings, of the shifts that were read", async () => {
    const { operations, onboard } = harness();
    const { provider, params, trySend, processed } = await onboard({
      connect: false,
      dialect: { variant: "b" },
    });
    expect(ok(await operations.getProviderReport({ params }))).toMatchObject({ shiftsRead: 0, fields: [] });
    const { shiftId } = provider.createShift({ description: null });
    await trySend(shiftId);
    await processed();
    provider.updateShift(shiftId, { description: "Bring an apron" });
    provider.setFault("time-without-offset");
    await trySend(shiftId, undefined, "shift.update");
    await processed();
    const report = ok(await operations.getProviderReport({ params }));
    expect(report).toMatchObject({ ...params.path, dialect: { variant: "b" }, shiftsRead: 2 });
    expect(countsOf(report.fields)).toMatchObject({
      numberOfPositions: 2,
      breakMinutes: 2,
      status: 2,
      description: 1,
      time_without_offset: 1,
    });
    expect(report.fields.map(({ count }) => count)).toEqual(
      report.fields
        .map(({ count }) => count)
        .toSorted()
        .reverse(),
    );
    expect(report.fields.map(({ field }) => field)).not.toContain("shift");
  });

  it("names what makes shifts unusable", async () => {
    const { operations, onboard } = harness();
    const { provider, params, trySend, processed } = await onboard({
      connect: false,
      dialect: { variant: "a" },
      faults: ["end-before-start"],
    });
    await trySend(provider.createShift().shiftId);
    await processed();
    const report = ok(await operations.getProviderReport({ params }));
    expect(countsOf(report.fields)).toMatchObject({ slots: 1, end_not_after_start: 1 });
  });

  it("of an unknown organisation is a 404", async () => {
    const params = { path: { providerId: randomUUID() } };
    expect((await harness().operations.getProviderReport({ params })).error).toMatchObject({
      code: "provider_not_found",
    });
  });
});

describe.each(featureEngines)("the counts of fields, on %s", (engine) => {
  const database = useEngine(engine);

  const integration = async () => {
    const provider_id = randomUUID();
    const row = { provider_id, kind: "k", name: "n", base_url: "https://p.example", provider_token: "t" };
    await database().kysely.insertInto("integrations").values(row).execute();
    return provider_id;
  };
  const stored = async () => {
    const rows = await database().kysely.selectFrom("field_uses").selectAll().execute();
    return rows.map(({ field, count }) => `${field} ${count}`).sort();
  };

  it("of several processes add up, and the rest is written at the end", async () => {
    const providerId = await integration();
    const processes = [1, 2, 3].map(() => createFieldUses({ database: database(), log: silent }));
    for (const uses of processes) {
      for (let n = 0; n < 10; n += 1) uses.note(providerId, n % 2 === 0 ? ["slots", "status"] : ["status"]);
    }
    await Promise.all(processes.map((uses) => uses.close()));
    expect(await stored()).toEqual(["shift 30", "slots 15", "status 30"]);
  });

  it("that could not be written are written with the next", async () => {
    const providerId = randomUUID();
    const uses = createFieldUses({ database: database(), log: silent });
    uses.note(providerId, ["slots"]);
    await uses.flush();
    expect(await stored()).toEqual([]);
    const row = {
      provider_id: providerId,
      kind: "k",
      name: "n",
      base_url: "https://p.example",
      provider_token: "t",
    };
    await database().kysely.insertInto("integrations").values(row).execute();
    uses.note(providerId, ["slots"]);
    await uses.close();
    expect(await stored()).toEqual(["shift 2", "slots 2"]);
  });
});
