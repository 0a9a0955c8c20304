import { describe, expect, it } from "vitest";
import type { FaultName } from "../../../src/sandbox/faults/switchboard.ts";
import { startSandbox } from "../../../src/sandbox/sandbox.ts";
import { featureEngines } from "../../engines.ts";
import { ok } from "../../harness/operations.ts";
import { useHarness } from "../../harness/platform.ts";

const GET = { operations: ["getShift"] } as const;

describe("an unusable response to GET /shifts/{id}", () => {
  const harness = useHarness("postgres", { providerTimeoutMs: 1_000 });

  it.each<FaultName>([
    "garbage",
    "truncated",
    "empty-body",
    "oversized",
    "slow",
    "reset",
    "redirect",
    "unavailable",
    "rate-limited",
    "error-500",
    "shift-of-another",
  ])("%s is asked for again, and the job comes later", async (fault) => {
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
  });

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
    expect(await organisation.issues()).toEqual([]);
  });

  it("is given up when every response contains another shift", async () => {
    const organisation = await harness().onboard();
    organisation.provider.setFault("shift-of-another", GET);
    const { shiftId, traceId } = organisation.provider.createShift();
    await organisation.idle();
    expect(await organisation.event(traceId)).toMatchObject({ status: "dead" });
    expect(await organisation.findJob(shiftId)).toBeUndefined();
  });

  it("is processed by the next successful reading, even if its event is dead", async () => {
    const organisation = await harness().onboard();
    organisation.provider.setFault("error-500", GET);
    const { shiftId, traceId } = organisation.provider.createShift();
    await organisation.idle();
    expect(await organisation.event(traceId)).toMatchObject({ status: "dead", attempts: 3 });
    organisation.provider.clearFaults();
    organisation.provider.updateShift(shiftId, {});
    await organisation.idle();
    expect(await organisation.event(traceId)).toMatchObject({ status: "processed", attempts: 4 });
    const statuses = (await organisation.events({ shiftId })).map(({ status }) => status);
    expect(statuses).toEqual(["processed", "processed"]);
  });

  it("waits, with one issue of the integration, while the provider rejects the token", async () => {
    const organisation = await harness().onboard({ connect: false });
    const { port, providerId } = organisation.provider;
    await organisation.provider.close();
    // The same organisation at the same address, with another token.
    const provider = await startSandbox({ port, providerId });
    const shifts = [provider.createShift(), provider.createShift()];
    const traceIds = await Promise.all(
      shifts.map(({ shiftId }) => organisation.send("shift.create", shiftId)),
    );
    await organisation.idle();
    for (const traceId of traceIds)
      expect(await organisation.event(traceId)).toMatchObject({ status: "queued" });
    expect(await organisation.issues()).toMatchObject([
      { code: "token_rejected", subject: { kind: "integration" }, params: { status: 401 }, count: 1 },
    ]);
    const { token: providerToken } = provider;
    const params = { path: { providerId } };
    const body = { direction: "provider", providerToken } as const;
    ok(await harness().operations.rotateToken({ params, body }));
    await organisation.idle();
    for (const traceId of traceIds)
      expect(await organisation.event(traceId)).toMatchObject({ status: "processed" });
    // Its outlets and roles are others, and not mapped.
    expect(await organisation.issueCodes()).not.toContain("token_rejected");
    await provider.close();
  });
});

describe("shifts that fail", () => {
  const harness = useHarness("pglite", { retries: { tries: 10_000 } });

  it("do not delay other shifts of the same or another provider", async () => {
    const [bad, good] = [await harness().onboard(), await harness().onboard()];
    bad.provider.setFault("error-500", { ...GET, times: 1_000 });
    const { shiftId } = bad.provider.createShift();
    await bad.provider.settled();
    const other = good.provider.createShift();
    await expect.poll(() => good.findJob(other.shiftId)).toMatchObject({ status: "open" });
    expect(await bad.findJob(shiftId)).toBeUndefined();
    bad.provider.clearFaults();
    await bad.idle();
    expect(await bad.job(shiftId)).toMatchObject({ status: "open" });
  });
});
