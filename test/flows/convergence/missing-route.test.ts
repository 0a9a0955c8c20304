import { describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { engines } from "../../harness/engines.ts";
import type { Person } from "../../harness/organisation.ts";
import { type Flow, useFlows } from "../flow.ts";
import { agree } from "./agree.ts";

/** How often the gateway has answered. */
const answersOf = ({ calls }: Flow) => calls.filter(({ status }) => status === 404).length;

/** More attempts than the limit after which other failures need an operator. */
const ATTEMPTS = 14;

/** The operations whose missing route has an open issue. */
const missingRoutes = async ({ issues }: Flow) =>
  (await issues()).filter(({ code }) => code === "route_missing").map(({ subject }) => subject.operation);

const statusesOf = async ({ job }: Flow, { shiftId }: Job) =>
  (await job(shiftId)).bookings.map(({ status }) => status);

describe.each(engines)("a gateway without one route of calls about people, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("answers assignments with 404: bookings are pending until the route is back", async () => {
    const organisation = await onboard({ faults: ["errors-as-html"] });
    const { provider, open, addPerson, accept, notifications, integration, issueCodes } = organisation;
    const job = await open({ positions: 3 });
    const people = [await addPerson(), await addPerson(), await addPerson()];
    provider.setFault("gateway-not-found", { operations: ["assignCandidate"] });
    await expect.poll(() => notifications(job, "job_offered")).toHaveLength(3);
    for (const person of people) await accept(job, person);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["assignCandidate"]);
    await expect.poll(() => answersOf(organisation)).toBeGreaterThan(12);
    expect(await statusesOf(organisation, job)).toEqual(["pending", "pending", "pending"]);
    expect((await integration()).health.code).toBe("route_missing");
    expect(await issueCodes()).toEqual(["route_missing"]);
    provider.clearFaults();
    await expect.poll(() => statusesOf(organisation, job)).toEqual(["confirmed", "confirmed", "confirmed"]);
    await expect.poll(issueCodes).toEqual([]);
    expect((await integration()).health.code).toBe("reachable");
    expect(await notifications(job, "booking_released")).toEqual([]);
    expect(await notifications(job, "job_offered")).toHaveLength(3);
    await expect.poll(() => agree(organisation, provider)).toEqual([]);
  });

  it("answers withdrawals with 404: the booking stays until the route is back", async () => {
    const organisation = await onboard({ faults: ["errors-as-html"] });
    const { provider, open, addPerson, book, withdraw } = organisation;
    const [job, person] = [await open(), await addPerson()];
    await book(job, person);
    provider.setFault("gateway-not-found", { operations: ["unassignCandidate", "deleteAssignment"] });
    await withdraw(job, person);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["unassignCandidate"]);
    expect(await statusesOf(organisation, job)).toEqual(["confirmed"]);
    provider.clearFaults();
    await expect.poll(() => statusesOf(organisation, job)).toEqual(["released"]);
    await expect.poll(() => missingRoutes(organisation)).toEqual([]);
    await expect.poll(() => agree(organisation, provider)).toEqual([]);
  });

  it("answers the creation of people with 404: the booking is pending until the route is back", async () => {
    const organisation = await onboard({ faults: ["errors-as-html"] });
    const { provider, open, addPerson, accept } = organisation;
    const [job, person] = [await open(), await addPerson()];
    provider.setFault("gateway-not-found", { operations: ["createCandidate"] });
    await accept(job, person);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["createCandidate"]);
    expect(await statusesOf(organisation, job)).toEqual(["pending"]);
    provider.clearFaults();
    await expect.poll(() => statusesOf(organisation, job)).toEqual(["confirmed"]);
    await expect.poll(() => missingRoutes(organisation)).toEqual([]);
  });
});

describe.each(engines)("a gateway without the route that deletes shifts, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("answers with 404: the job is cancelled once the route is back", async () => {
    const organisation = await onboard({ faults: ["errors-as-html"] });
    const { provider, open, addPerson, book, cancel, job, integration, issueCodes } = organisation;
    const [shift, person] = [await open(), await addPerson()];
    await book(shift, person);
    provider.setFault("gateway-not-found", { operations: ["cancelShift"] });
    await cancel(shift);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["cancelShift"]);
    await expect.poll(() => answersOf(organisation)).toBeGreaterThan(12);
    expect(await issueCodes()).toEqual(["route_missing"]);
    expect((await integration()).health.code).toBe("route_missing");
    expect(await job(shift.shiftId)).toMatchObject({ status: "filled", cancelling: true });
    provider.clearFaults();
    await expect
      .poll(() => job(shift.shiftId))
      .toMatchObject({ status: "cancelled", cancelledBy: "employer" });
    await expect.poll(issueCodes).toEqual([]);
    expect(provider.shift(shift.shiftId)?.cancelled).toBe(true);
  });
});

describe.each(engines)("a call that waits an hour for its route, on %s", (engine) => {
  const onboard = useFlows(engine, {
    timing: { ladderMs: [50, 150, 350, HOUR_MS] },
    retries: { baseMs: HOUR_MS, capMs: HOUR_MS, random: () => 1 },
  });

  it("leaves the calls to others: an assignment is not made each time that the person is looked up", async () => {
    const organisation = await onboard({ faults: ["errors-as-html"] });
    const { provider, open, addPerson, accept, send, findJob } = organisation;
    const [job, other, person] = [await open(), await open({ positions: 1 }), await addPerson()];
    provider.setFault("gateway-not-found", { operations: ["assignCandidate"] });
    await accept(job, person);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["assignCandidate"]);
    for (let positions = 2; positions < 12; positions += 1) {
      provider.updateShift(other.shiftId, { positions });
      await send("shift.update", other.shiftId);
      await expect.poll(async () => (await findJob(other.shiftId))?.positions).toBe(positions);
    }
    // A loop would be answered thrice for each of these changes. The readings of the ladder call again, too, and a witness has each call made twice.
    expect(answersOf(organisation)).toBeLessThan(2 * (2 + 5));
  });

  it("is repeated at once when the route works for another", async () => {
    const organisation = await onboard({ faults: ["errors-as-html"] });
    const { provider, open, cancel, job } = organisation;
    const [first, second] = [await open(), await open()];
    provider.setFault("gateway-not-found", { operations: ["cancelShift"] });
    await cancel(first);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["cancelShift"]);
    provider.clearFaults();
    await cancel(second);
    for (const { shiftId } of [second, first])
      await expect.poll(() => job(shiftId)).toMatchObject({ status: "cancelled", cancelledBy: "employer" });
  });
});

describe.each(engines)("a gateway without any route, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("keeps every job and booking", async () => {
    const platform = await onboard();
    const { provider } = platform;
    const { jobs, person } = await staffedJobs(platform);
    provider.setFault("gateway-not-found");
    const [first, second] = jobs;
    if (!first || !second) throw new Error("the test needs two jobs");
    await platform.withdraw(first, person);
    await platform.accept(second, await platform.addPerson());
    for (const { shiftId } of jobs) {
      provider.updateShift(shiftId, { positions: 3 });
      await platform.send("shift.update", shiftId);
    }
    const health = async () => (await platform.integration()).health.code;
    await expect.poll(health).toMatch(/^(implausible|unreachable)$/);
    await expect.poll(() => answersOf(platform)).toBeGreaterThan(ATTEMPTS);
    expect((await platform.jobs()).map(({ status }) => status)).not.toContain("cancelled");
    expect((await platform.booking(first, person))?.status).toBe("confirmed");
    provider.clearFaults();
    await expect.poll(() => agree(platform, provider)).toEqual([]);
    await expect.poll(health).toBe("reachable");
    await expect.poll(platform.issueCodes).toEqual([]);
    expect((await platform.booking(first, person))?.status).toBe("released");
    for (const job of jobs) expect(await platform.notifications(job, "shift_cancelled")).toEqual([]);
  });
});

/** Books one candidate on every job. Each has another position. */
async function staffedJobs({ openAll, book, addPerson }: Flow) {
  const person: Person = await addPerson();
  const jobs = await openAll(8, { positions: 2 });
  for (const job of jobs) await book(job, person);
  return { jobs, person };
}

describe.each(engines)("a 404 without a code to a call about a person, on %s", (engine) => {
  const onboard = useFlows(engine);

  it("is a refusal of the person once the route has worked for another", async () => {
    const organisation = await onboard({ faults: ["errors-as-html"] });
    const { provider, open, addPerson, book, accept, withdraw } = organisation;
    const [first, second, person] = [await open(), await open(), await addPerson()];
    await book(first, person);
    await withdraw(first, person);
    await expect.poll(() => statusesOf(organisation, first)).toEqual(["released"]);
    provider.removeCandidate(person.personalNumber);
    await accept(second, person);
    await expect.poll(() => missingRoutes(organisation)).toEqual(["assignCandidate"]);
    expect(await statusesOf(organisation, second)).toEqual(["pending"]);
    await book(await open(), await addPerson());
    await expect.poll(() => statusesOf(organisation, second)).toEqual(["released"]);
    await expect.poll(() => missingRoutes(organisation)).toEqual([]);
  });
});
