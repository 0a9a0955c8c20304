import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../../../src/contract/timestamp.ts";
import type { ShiftPatch } from "../../../../src/platform/shifts/plan/writes.ts";
import { writeShift } from "../../../../src/platform/shifts/record/events.ts";
import { transact } from "../../../../src/platform/transaction.ts";
import { depsFor } from "../../../harness/deps.ts";
import { engines, featureEngines, useEngine } from "../../../harness/engines.ts";
import { useHarness } from "../../../harness/platform.ts";
import { addIntegration } from "../../../harness/work-rows.ts";
import { aBelief, aState } from "../plan/states.ts";

const PRESENT = { ...aState().shift, nextReadAt: null };

describe.each(engines)("since when a shift has been missing, on %s", (engine) => {
  const database = useEngine(engine);

  it("is the time of the first absence in a row, and starts over with the next first one", async () => {
    const providerId = await addIntegration(database());
    const now = new Date();
    const deps = depsFor(database(), { now: () => now });
    /** Writes the patch, and returns how many minutes ago the shift went missing. */
    const written = async (patch: ShiftPatch) => {
      const key = { providerId, shiftId: "shift" };
      await transact(deps, (trx) => writeShift(trx, deps, key, PRESENT, [{ write: "shift", patch }]));
      const ago = sql<number | null>`round(extract(epoch from now() - missing_since) / 60)::int`;
      const row = await database()
        .kysely.selectFrom("shifts")
        .select(ago.as("ago"))
        .executeTakeFirstOrThrow();
      return row.ago;
    };
    const since = (minutes: number) => ({
      belief: aBelief({ missingSince: now.getTime() - minutes * MINUTE_MS }),
    });
    expect(await written(since(9))).toBe(9);
    expect(await written(since(5))).toBe(9);
    expect(await written({ belief: aBelief() })).toBe(null);
    expect(await written(since(2))).toBe(2);
  });
});

const FIVE_MINUTES_MS = 5 * MINUTE_MS;

describe.each(featureEngines)("a clock that is set while a shift is decided, on %s", (engine) => {
  let reads = 0;
  const harness = useHarness(engine, {
    now: () => new Date(Date.now() + (reads++ % 2) * FIVE_MINUTES_MS),
    timing: { ladderMs: [100, 200, 300] },
  });

  it("moves no deadline: a missing shift is read again after its delays", async () => {
    const organisation = await harness().onboard({ connect: false });
    for (let nth = 0; nth < 5; nth += 1) {
      const traceId = await organisation.send("shift.create", randomUUID());
      await organisation.idle();
      expect(await organisation.event(traceId)).toMatchObject({ status: "processed" });
    }
  });
});
