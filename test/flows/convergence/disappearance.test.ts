import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { engines } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import { type Flow, isShift, UNASSIGN, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

const SHIFTS = 10;
const BOOKED = 2;
/** Shifts with one person each, whose lists become empty. */
const EMPTIED = 8;

/** No event reports the lost shifts, so the periodic read must find them. */
const RECONCILE_MS = 300;

/** Creates ten jobs, with one booking on each of the first two. */
async function staffedJobs({ openAll, book, addPerson }: Flow) {
  const jobs = await openAll(SHIFTS, { positions: 2 });
  const booked = jobs.slice(0, BOOKED);
  for (const job of booked) await book(job, await addPerson());
  return { jobs, booked };
}

/** The provider loses its shifts, or finds them again. No webhook says so. */
function lose({ shifts }: Flow["provider"], isLost: boolean) {
  for (const shift of shifts) shift.cancelled = isLost;
}

const statusesOf = async ({ jobs }: Flow) => (await jobs()).map(({ status }) => status);
const cancellationsOf = async ({ notifications }: Flow, jobs: readonly Job[]) =>
  (await Promise.all(jobs.map((job) => notifications(job, "shift_cancelled")))).flat().length;

/** Waits until the platform has read each shift, and so the list of its people. */
async function seeEach({ send, events }: Flow, jobs: readonly Job[]): Promise<void> {
  for (const { shiftId } of jobs) {
    const traceId = await send("shift.update", shiftId);
    await expect.poll(async () => (await events({ traceId }))[0]?.status).toBe("processed");
  }
}

/** Waits until the platform has read every shift twice more, and checks that all jobs are kept. */
async function expectHeld(platform: Flow): Promise<void> {
  const { calls, issueCodes, integration } = platform;
  await expect.poll(issueCodes).toEqual(["mass_disappearance"]);
  const held = { code: "mass_disappearance", paused: "deletions", resumes: "with_operator" };
  expect((await integration()).health).toMatchObject(held);
  const reads = calls.length;
  await expect.poll(() => calls.length).toBeGreaterThan(reads + 2 * SHIFTS);
  expect(await statusesOf(platform)).toEqual(Array(SHIFTS).fill("open"));
}

describe.each(engines)("shifts that vanish at the provider, on %s", (engine) => {
  const onboard = useFlows(engine, {
    timing: { reconcileMs: RECONCILE_MS, ladderMs: [50, 150, 350, 5_000] },
  });

  it("are kept when they are many, until the operator closes the issue", async () => {
    const platform = await onboard();
    const { provider, operations } = platform;
    const { booked } = await staffedJobs(platform);
    lose(provider, true);
    await expectHeld(platform);
    expect(await cancellationsOf(platform, booked)).toBe(0);
    const [issue] = await platform.issues();
    const path = { issueId: issue?.issueId ?? "" };
    ok(await operations.resolveIssue({ params: { path } }));
    await expect.poll(() => statusesOf(platform)).toEqual(Array(SHIFTS).fill("cancelled"));
    expect(await cancellationsOf(platform, booked)).toBe(BOOKED);
    expect(await agree(platform, provider)).toEqual([]);
    await expect.poll(platform.issueCodes).toEqual([]);
    await expect.poll(async () => (await platform.integration()).health.code).toBe("reachable");
  });

  it("are kept when they are many, and work continues once they are back", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const { jobs, booked } = await staffedJobs(platform);
    lose(provider, true);
    await expectHeld(platform);
    lose(provider, false);
    await expect.poll(platform.issueCodes).toEqual([]);
    await expect.poll(async () => (await platform.integration()).health.code).toBe("reachable");
    const last = jobs.at(-1);
    if (last) await platform.book(last, await platform.addPerson());
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    expect(await cancellationsOf(platform, booked)).toBe(0);
  });
});

describe.each(engines)("people who vanish from the lists of the provider, on %s", (engine) => {
  // No person is released before the last of these delays.
  const onboard = useFlows(engine, {
    timing: { reconcileMs: RECONCILE_MS, ladderMs: [50, 150, 350, 15_000] },
  });

  it("are kept while all lists are empty", async () => {
    let emptied: number | undefined;
    const platform = await onboard({
      rewrite: (body) => {
        if (emptied === undefined || !isShift(body)) return body;
        emptied += 1;
        return { ...body, assignedCandidates: [] };
      },
    });
    const { openAll, book, addPerson, issueCodes, notifications } = platform;
    const jobs = await openAll(EMPTIED);
    for (const job of jobs) await book(job, await addPerson());
    await seeEach(platform, jobs);
    emptied = 0;
    await expect.poll(issueCodes).toEqual(["mass_disappearance"]);
    const [issue] = await platform.issues();
    expect(issue?.params).toMatchObject({ count: expect.any(Number), booked: EMPTIED });
    const before = emptied;
    await expect.poll(() => emptied).toBeGreaterThan(before + EMPTIED);
    emptied = undefined;
    await platform.send("shift.update", jobs[0]?.shiftId ?? "");
    await expect.poll(issueCodes).toEqual([]);
    expect((await platform.integration()).health.code).toBe("reachable");
    for (const job of jobs) {
      expect(await notifications(job, "booking_released")).toEqual([]);
      expect((await platform.job(job.shiftId)).bookings).toMatchObject([{ status: "confirmed" }]);
    }
    expect(platform.calls.filter(({ method, path }) => UNASSIGN.test(`${method} ${path}`))).toEqual([]);
  });

  it("are treated as any removed person once an operator confirms it", async () => {
    const platform = await onboard();
    const { provider, open, book, addPerson, issueCodes, operations } = platform;
    const job = await open({ positions: 3 });
    for (let nth = 0; nth < 3; nth += 1) await book(job, await addPerson());
    await seeEach(platform, [job]);
    for (const person of platform.people) provider.unassign(job.shiftId, platform.idOf(person));
    await expect.poll(issueCodes).toEqual(["mass_disappearance"]);
    const [issue] = await platform.issues();
    ok(await operations.resolveIssue({ params: { path: { issueId: issue?.issueId ?? "" } } }));
    // The platform assigns each of them once more, as after any removal.
    await expect.poll(() => provider.shift(job.shiftId)?.assigned.size).toBe(3);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    await expect.poll(issueCodes).toEqual([]);
  });
});

describe.each(engines)("a shift that comes back, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("because the provider undoes its cancellation, confirms again who is still listed", async () => {
    const platform = await onboard({ dialect: { variant: "b", deleted: "cancelled" } });
    const { provider, addPerson, open, book, notifications } = platform;
    const [stays, leaves, job] = [await addPerson(), await addPerson(), await open({ positions: 2 })];
    await book(job, leaves);
    await book(job, stays);
    const { shift } = provider.deleteShift(job.shiftId);
    await platform.send("shift.update", job.shiftId);
    // The people on it are released once that is settled.
    const released = { status: "released", reason: "shift_cancelled" };
    const cancelled = { cancelledBy: "provider", bookings: [released, released] };
    await expect.poll(() => platform.job(job.shiftId)).toMatchObject(cancelled);
    Object.assign(shift, { cancelled: false });
    provider.unassign(job.shiftId, platform.idOf(leaves));
    await platform.send("shift.update", job.shiftId);
    await expect
      .poll(() => platform.job(job.shiftId))
      .toMatchObject({
        status: "open",
        bookings: [
          { candidateId: leaves.candidateId, status: "released", reason: "shift_cancelled" },
          { candidateId: stays.candidateId, status: "confirmed" },
        ],
      });
    const confirmations = await notifications(job, "booking_confirmed");
    expect(confirmations.map(({ candidateId }) => candidateId)).toEqual([
      leaves.candidateId,
      stays.candidateId,
      stays.candidateId,
    ]);
    await expect.poll(() => agree(platform, provider)).toEqual([]);
  });
});
