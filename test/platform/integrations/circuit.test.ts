import { describe, expect, it } from "vitest";
import { featureEngines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { useHarness } from "../../harness/platform.ts";

const SHIFTS = 12;
/** What the issue about each fault names. */
const CAUSES = {
  slow: { failure: "timeout" },
  unavailable: { failure: "http_error", status: 503, afterMs: 0 },
  reset: { failure: "connection_failed", providerCode: expect.any(String) },
  "error-500": { failure: "http_error", status: 500 },
};

describe.each(featureEngines)("a provider that gives no answer, on %s", (engine) => {
  const harness = useHarness(engine, { providerTimeoutMs: 1_000, timing: { hourlyMs: 100 } });

  const issues = async ({ params }: Organisation) => {
    const query = { providerId: params.path.providerId, state: "open" as const };
    return ok(await harness().operations.listIssues({ params: { query } })).items.map(({ code }) => code);
  };
  const causeOf = async ({ params }: Organisation) => {
    const query = { providerId: params.path.providerId, state: "open" as const };
    const [issue] = ok(await harness().operations.listIssues({ params: { query } })).items;
    return issue?.params;
  };
  const events = async ({ params }: Organisation) => {
    const query = { providerId: params.path.providerId };
    return ok(await harness().operations.listEvents({ params: { query } })).items;
  };
  const tellAll = async ({ provider, trySend }: Organisation) => {
    const shiftIds = Array.from({ length: SHIFTS }, () => provider.createShift().shiftId);
    for (const shiftId of shiftIds) expect(await trySend(shiftId)).toBe(200);
    return shiftIds;
  };

  it.each(["slow", "unavailable", "reset", "error-500"] as const)(
    "%s: is not called and is reported; others continue; everything arrives once it has recovered",
    async (fault) => {
      const { operations, onboard } = harness();
      const [ill, well] = [await onboard({ connect: false }), await onboard({ connect: false })];
      ill.provider.setFault(fault, { retryAfter: "0" });
      await tellAll(ill);
      await expect.poll(() => issues(ill)).toEqual(["provider_down"]);
      expect(await causeOf(ill)).toEqual(CAUSES[fault]);
      const { error } = await operations.discoverIntegration({ params: ill.params });
      expect(error).toMatchObject({ code: "provider_unavailable" });
      await tellAll(well);
      await expect
        .poll(async () => (await events(well)).map(({ status }) => status))
        .toEqual(Array(SHIFTS).fill("processed"));
      expect(await issues(well)).toEqual([]);
      expect((await events(ill)).every(({ status }) => status === "queued")).toBe(true);
      ill.provider.clearFaults();
      await ill.processed();
      expect((await events(ill)).map(({ status }) => status)).toEqual(Array(SHIFTS).fill("processed"));
      await expect.poll(() => issues(ill)).toEqual([]);
    },
  );
});
