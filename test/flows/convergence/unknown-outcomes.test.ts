import { describe, expect, it } from "vitest";
import { engines } from "../../harness/engines.ts";
import { agree } from "./agree.ts";
import { useIndependent } from "./organisation.ts";
import { TIMEOUT_MS } from "./pace.ts";
import type { Provider } from "./provider.ts";

const countOf = ({ effects }: Provider, wanted: string) =>
  effects.filter(({ kind }) => kind === wanted).length;

describe.each(engines)("a call whose outcome is unknown, on %s", (engine) => {
  const onboard = useIndependent(engine);

  it.each([
    ["shift_full", "before-headers"],
    ["already_assigned", "after-headers"],
  ] as const)("confirms the booking when a repeated assignment is refused as %s", async (code, cut) => {
    const { provider, ...platform } = await onboard();
    const job = await platform.open();
    const person = await platform.addPerson();
    const loss = provider.fault({ kind: "lost", cut }, { on: "assign", times: 1 });
    provider.fault({ kind: "rejected-repeat", code });
    await platform.book(job, person);
    expect(loss.hits).toBe(1);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect((await platform.job(job.shiftId)).status).toBe("filled");
    expect([countOf(provider, "assign"), countOf(provider, "unassign")]).toEqual([1, 0]);
    expect(await platform.notifications(job, "booking_confirmed")).toHaveLength(1);
    expect(await platform.notifications(job, "booking_released")).toEqual([]);
  });

  it("confirms the booking when the assignment takes effect after the connection was cut", async () => {
    const { provider, ...platform } = await onboard({ echo: true });
    const job = await platform.open();
    const person = await platform.addPerson();
    provider.fault({ kind: "late", afterMs: TIMEOUT_MS / 4 }, { on: "assign", times: 1 });
    provider.fault({ kind: "rejected-repeat", code: "already_assigned" });
    await platform.book(job, person);
    await provider.settled();
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect([countOf(provider, "assign"), countOf(provider, "unassign")]).toEqual([1, 0]);
    expect(await platform.notifications(job, "booking_confirmed")).toHaveLength(1);
  });

  it("creates a person once when the creation takes effect after the connection was cut", async () => {
    const { provider, ...platform } = await onboard();
    const jobs = [await platform.open(), await platform.open()];
    const person = await platform.addPerson();
    provider.fault({ kind: "no-duplicate-detection" });
    const cut = provider.fault(
      { kind: "late", afterMs: 0.6 * TIMEOUT_MS },
      { on: "createCandidate", times: 1 },
    );
    await Promise.all(jobs.map((job) => platform.book(job, person)));
    expect(cut.hits).toBe(1);
    await provider.settled();
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(provider.candidates).toMatchObject([{ personalNumber: person.personalNumber }]);
    expect([countOf(provider, "create"), countOf(provider, "assign")]).toEqual([1, 2]);
    expect(await platform.issueCodes()).toEqual([]);
  });

  it.each(["empty", "404"] as const)(
    "creates a person once when a gateway responds with 404 to lookups, and the provider with %s",
    async (notFound) => {
      const { provider, ...platform } = await onboard({ notFound });
      const job = await platform.open();
      const person = await platform.addPerson();
      provider.fault({ kind: "no-duplicate-detection" });
      provider.fault({ kind: "lost" }, { on: "createCandidate", times: 1 });
      // A lookup queries both forms of the number. The first lookup has no result, and the one after the creation gets the gateway.
      const gateway = provider.fault({ kind: "gateway-404" }, { on: "findCandidates", after: 2, times: 2 });
      await platform.accept(job, person);
      const status = async () => (await platform.booking(job, person))?.status;
      await expect.poll(status).toBe("confirmed");
      await expect.poll(() => agree(platform, provider)).toEqual([]);
      expect([gateway.hits, countOf(provider, "create")]).toEqual([2, 1]);
    },
  );

  it.each([
    ["the cancellation", "cancelShift"],
    ["everything", undefined],
  ] as const)("keeps the job while a gateway responds with 404 to %s", async (_, on) => {
    const { provider, ...platform } = await onboard();
    const job = await platform.open();
    const person = await platform.addPerson();
    await platform.book(job, person);
    const gateway = provider.fault({ kind: "gateway-404" }, on && { on });
    expect(await platform.cancel(job)).toMatchObject({ status: 202 });
    const statusOfJob = async () => (await platform.job(job.shiftId)).status;
    await expect.poll(async () => gateway.hits >= 3 || (await statusOfJob()) === "cancelled").toBe(true);
    expect([await statusOfJob(), countOf(provider, "delete")]).toEqual(["filled", 0]);
    gateway.stop();
    await expect.poll(statusOfJob).toBe("cancelled");
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect([provider.shift(job.shiftId)?.deleted, countOf(provider, "delete")]).toEqual([true, 1]);
    expect(await platform.notifications(job, "shift_cancelled")).toMatchObject([
      { candidateId: person.candidateId },
    ]);
  });

  it("withdraws a person from one shift while another shift waits for a Retry-After", async () => {
    const { provider, ...platform } = await onboard();
    const [job, waiting] = [await platform.open(), await platform.open()];
    const person = await platform.addPerson();
    await platform.book(job, person);
    const { shiftId } = waiting;
    const silence = provider.fault(
      { kind: "status", status: 503, retryAfter: "30" },
      { shiftId, on: "assign" },
    );
    expect(await platform.accept(waiting, person)).toEqual({ status: 202, code: "pending" });
    expect(silence.hits).toBe(1);
    await platform.withdraw(job, person);
    const withdrawn = async () => (await platform.booking(job, person))?.status;
    await expect.poll(withdrawn, { timeout: 5_000 }).toBe("released");
    expect(provider.shift(job.shiftId)?.assigned).toEqual([]);
    expect((await platform.booking(waiting, person))?.status).toBe("pending");
  });
});
