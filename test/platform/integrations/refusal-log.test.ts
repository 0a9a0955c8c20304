import { pino } from "pino";
import { describe, expect, it } from "vitest";
import { startHarness, useHarness } from "../../harness/platform.ts";

describe("the log of what a provider refuses (contract 7.1)", () => {
  const lines: string[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => void lines.push(line) });

  it("names the call, its trace and the status, and never the person", async () => {
    const harness = await startHarness("pglite", { log });
    const organisation = await harness.onboard({ dialect: { notFound: "404" } });
    const person = await organisation.addPerson();
    const job = await organisation.open();
    organisation.provider.setFault("assign-conflict");
    await organisation.accept(job, person);
    await harness.closeProviders();
    await harness.close();
    const refusals = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === "the provider refused a call");
    expect(refusals).toMatchObject([
      {
        providerId: organisation.providerId,
        traceId: job.traceId,
        method: "PUT",
        path: expect.stringContaining(`/shifts/${job.shiftId}/assign/`),
        status: 409,
      },
    ]);
    expect(lines.some((line) => line.includes(person.personalNumber))).toBe(false);
    expect(lines.some((line) => /robin|example\.com|\+4670/i.test(line))).toBe(false);
  });
});

describe("a refusal to read a shift", () => {
  const harness = useHarness("pglite");

  it("is not repeated, and raises an issue until the shift can be read", async () => {
    const organisation = await harness().onboard();
    organisation.provider.setFault("valid-refused", { operations: ["getShift"] });
    const { shiftId, traceId } = organisation.provider.createShift();
    await organisation.idle();
    const verdict = { code: "provider_refused", params: { status: 400 } };
    expect(await organisation.event(traceId)).toMatchObject({ status: "failed", attempts: 1, verdict });
    expect(await organisation.issues()).toMatchObject([verdict]);
    organisation.provider.clearFaults();
    organisation.provider.updateShift(shiftId, {});
    await organisation.idle();
    expect(await organisation.job(shiftId)).toMatchObject({ status: "open" });
    expect(await organisation.issues()).toEqual([]);
  });
});
