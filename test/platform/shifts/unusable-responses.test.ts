import { describe, expect, it } from "vitest";
import type { FaultName } from "../../../src/sandbox/faults/switchboard.ts";
import { featureEngines } from "../../harness/engines.ts";
import { useHarness } from "../../harness/platform.ts";

const GET = { operations: ["getShift"] } as const;

describe("an unusable response to GET /shifts/{id}", () => {
  const harness = useHarness("postgres", { providerTimeoutMs: 1_000 });

  it.each<FaultName>(["garbage", "slow"])(
    "%s is followed by another request, and the job is created later",
    async (fault) => {
      const organisation = await harness().onboard();
      const times = fault === "slow" ? 1 : 2;
      organisation.provider.setFault(fault, { ...GET, times, retryAfter: "0" });
      const { shiftId, traceId = "" } = await organisation.open();
      expect(await organisation.event(traceId)).toMatchObject({ status: "processed", attempts: times + 1 });
      const fetches = (await organisation.steps(traceId)).filter(({ step }) => step === "fetch");
      expect(fetches.map(({ verdict }) => verdict.code)).toEqual([
        ...Array(times).fill("will_retry"),
        "shift_read",
      ]);
      expect(await organisation.job(shiftId)).toMatchObject({ status: "open" });
      expect(await organisation.issues()).toEqual([]);
    },
  );

  it("is not retried before the provider's Retry-After", async () => {
    const organisation = await harness().onboard();
    organisation.provider.setFault("unavailable", { ...GET, times: 1, retryAfter: "1" });
    const { traceId = "" } = await organisation.open();
    const { receivedAt, processedAt = "" } = await organisation.event(traceId);
    expect(Date.parse(processedAt) - Date.parse(receivedAt)).toBeGreaterThanOrEqual(1_000);
  });
});

describe.each(featureEngines)("a shift whose events fail, on %s", (engine) => {
  const harness = useHarness(engine, { retries: { tries: 3 } });

  it("ends with a dead event and an issue, which its next event resolves", async () => {
    const organisation = await harness().onboard();
    organisation.provider.setFault("error-500", GET);
    const { shiftId, traceId } = organisation.provider.createShift();
    await organisation.idle();
    expect(await organisation.event(traceId)).toMatchObject({ status: "dead", attempts: 3 });
    expect(await organisation.issues()).toMatchObject([{ code: "provider_gave_no_answer", traceId }]);
    expect((await organisation.steps(traceId)).at(-1)).toMatchObject({
      step: "event",
      verdict: { code: "provider_unavailable", params: { attempts: 3, failure: "http_error", status: 500 } },
    });
    organisation.provider.clearFaults();
    organisation.provider.updateShift(shiftId, {});
    await organisation.idle();
    expect(await organisation.job(shiftId)).toMatchObject({ status: "open" });
    expect(await organisation.event(traceId)).toMatchObject({ status: "processed", attempts: 4 });
    expect(await organisation.issues()).toEqual([]);
  });
});
