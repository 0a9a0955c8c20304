import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { MINUTE_MS } from "../../../src/contract/durations.ts";
import { featureEngines } from "../../harness/engines.ts";
import { useHarness } from "../../harness/platform.ts";

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
