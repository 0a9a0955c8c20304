import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { engines } from "../../harness/engines.ts";
import { carriedOut, isShift, TIMEOUT_MS, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

/** The malformed list, and `ownPeopleCount` of a shift with one platform candidate and one of the provider's own people. */
const LISTS: readonly [name: string, (list: readonly unknown[]) => unknown[], ownPeopleCount: number][] = [
  ["ten-thousand", (list) => [...list, ...Array.from({ length: 10_000 - list.length }, stranger)], 9_999],
  ["duplicates", (list) => [...list, ...list, ...list], 1],
  ["nulls", (list) => [null, ...list, null], 1],
];

const stranger = () => ({ id: randomUUID(), personalNumber: "" });

describe.each(engines)("a provider with malformed lists of people, on %s", (engine) => {
  const onboard = useFlows(engine);

  it.each(LISTS)(
    "leads to a correct job, or to an issue that explains it: %s",
    async (_, malformed, ownPeopleCount) => {
      let isOdd = false;
      let hits = 0;
      const { provider, ...platform } = await onboard({
        dialect: { variant: "b" },
        rewrite: (body) => {
          if (!isOdd || !isShift(body)) return body;
          hits += 1;
          return { ...body, assignedCandidates: malformed(body.assignedCandidates) };
        },
      });
      const person = await platform.addPerson();
      const { shiftId, endTime, ...job } = await platform.open({ positions: 3 });
      await platform.book({ shiftId, endTime, ...job }, person);
      provider.assign(shiftId, provider.candidates[0]?.id ?? "");
      isOdd = true;
      const newEnd = new Date(Date.parse(endTime) + HOUR_MS).toISOString();
      provider.updateShift(shiftId, { endTime: newEnd });
      await platform.send("shift.update", shiftId);
      const isRight = (now: Job) =>
        Date.parse(now.endTime) === Date.parse(newEnd) &&
        now.ownPeopleCount === ownPeopleCount &&
        now.bookings.every(({ status }) => status === "confirmed");
      const isExplained = async () => (await platform.issues()).length > 0;
      await expect.poll(async () => isRight(await platform.job(shiftId)) || (await isExplained())).toBe(true);
      expect(hits).toBeGreaterThan(0);
      expect((await platform.job(shiftId)).ownPeople.length).toBeLessThanOrEqual(100);
      expect((await fetch(`${platform.platform.url}/health/ready`)).status).toBe(200);
      isOdd = false;
      await platform.send("shift.update", shiftId);
      await expect.poll(() => agree(platform, provider)).toEqual([]);
      expect([carriedOut(platform, /^POST/), carriedOut(platform, /^PUT|^DELETE/)]).toEqual([1, 1]);
      await expect.poll(platform.issueCodes).toEqual([]);
    },
  );
});

describe.each(engines)("a call whose outcome is unknown, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("creates a person once when the creation takes effect after the connection was cut", async () => {
    const { provider, ...platform } = await onboard();
    const jobs = [await platform.open(), await platform.open()];
    const person = await platform.addPerson();
    provider.setFault("create-late", { lateMs: 0.6 * TIMEOUT_MS, times: 1 });
    await Promise.all(jobs.map((job) => platform.book(job, person)));
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    const created = provider.candidates.filter((each) => each.personalNumber === person.personalNumber);
    expect(created).toHaveLength(1);
    expect([platform.callCount("POST", "/candidates"), carriedOut(platform, /\/assign\//)]).toEqual([1, 2]);
    expect(await platform.issueCodes()).toEqual([]);
  });

  it("withdraws a person from one shift while another shift waits for a Retry-After", async () => {
    const { provider, ...platform } = await onboard();
    const [job, waiting] = [await platform.open(), await platform.open()];
    const person = await platform.addPerson();
    await platform.book(job, person);
    provider.setFault("unavailable", { operations: ["assignCandidate"], retryAfter: "600", times: 1 });
    expect(await platform.accept(waiting, person)).toEqual({ status: 202, code: "pending" });
    expect(platform.calls.filter(({ status }) => status === 503)).toHaveLength(1);
    await platform.withdraw(job, person);
    const withdrawn = async () => (await platform.booking(job, person))?.status;
    await expect.poll(withdrawn).toBe("released");
    expect(provider.shift(job.shiftId)?.assigned.size).toBe(0);
    expect((await platform.booking(waiting, person))?.status).toBe("pending");
  });
});
