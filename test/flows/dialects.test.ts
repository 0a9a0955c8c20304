import { describe, expect, it } from "vitest";
import { type Dialect, dialectName, everyDialect } from "../../src/contract/dialect.ts";
import { HOUR_MS } from "../../src/contract/timestamp.ts";
import { featureEngines } from "../harness/engines.ts";
import { ok } from "../harness/operations.ts";
import type { Organisation, Person } from "../harness/organisation.ts";
import { type Harness, useHarness } from "../harness/platform.ts";

/** One organisation in the flows of contract section 1, on both sides. */
interface FlowRun extends Organisation {
  harness: Harness;
  dialect: Dialect;
  /** A candidate who is new to the provider. */
  newcomer: Person;
  /** A candidate whom the provider knows. */
  regular: Person;
}

const STATIONS = [
  isCreated,
  isOffered,
  isAccepted,
  isChanged,
  isNotifiedOfTheChange,
  isWithdrawn,
  isCancelled,
  isOver,
  wasUnderstood,
];

describe.each(featureEngines)("the four flows in every dialect at once, on %s", (engine) => {
  const harness = useHarness(engine);

  it("staffs, changes and cancels a shift of each of 32 organisations", async () => {
    const dialects = everyDialect();
    expect(dialects).toHaveLength(32);
    const runs = await Promise.all(dialects.map((dialect, index) => begin(harness(), dialect, index)));
    for (const step of STATIONS) {
      await Promise.all(runs.map((run) => runStep(run, step)));
      for (const { idle } of runs) await idle();
    }
  });
});

/** Every second organisation sends its webhooks to the path without its kind. */
async function begin(harness: Harness, dialect: Dialect, index: number): Promise<FlowRun> {
  const organisation = await harness.onboard({ dialect, ownPath: index % 2 === 0 });
  const [newcomer, regular] = [await organisation.addPerson(), await organisation.addPerson()];
  organisation.provider.addCandidate({ personalNumber: regular.personalNumber });
  return { ...organisation, harness, dialect, newcomer, regular };
}

/** Adds the dialect to a failure. */
async function runStep(run: FlowRun, step: (run: FlowRun) => Promise<void>): Promise<void> {
  try {
    await step(run);
  } catch (error) {
    if (error instanceof Error) error.message = `[${dialectName(run.dialect)}] ${error.message}`;
    throw error;
  }
}

function shiftOf({ provider }: FlowRun) {
  const [shift, ...others] = provider.shifts;
  if (!shift || others.length > 0) throw new Error("each organisation has one shift");
  return shift;
}

const jobOf = (run: FlowRun) => run.job(shiftOf(run).id);

async function isCreated({ provider }: FlowRun) {
  const { traceId } = provider.createShift({ positions: 2 });
  expect(await provider.delivered(traceId)).toEqual({ delivered: true, tries: 1 });
}

async function isOffered(run: FlowRun) {
  const { startTime, endTime } = shiftOf(run);
  const job = await jobOf(run);
  expect(job).toMatchObject({ status: "open", positions: 2, overfilled: false, startTime, endTime });
  expect(job).toMatchObject({ bookings: [], warnings: [] });
  const offers = await run.notifications(job, "job_offered");
  const people = [run.newcomer, run.regular].map(({ candidateId }) => candidateId);
  expect(offers.map(({ candidateId }) => candidateId).sort()).toEqual(people.sort());
}

async function isAccepted(run: FlowRun) {
  const { provider, newcomer, regular } = run;
  const before = provider.candidates.length;
  const job = await jobOf(run);
  const confirmed = { status: 201, code: "confirmed" };
  expect(await Promise.all([run.accept(job, newcomer), run.accept(job, regular)])).toEqual([
    confirmed,
    confirmed,
  ]);
  expect(provider.candidates).toHaveLength(before + 1);
  const { status, bookings } = await jobOf(run);
  expect(status).toBe("filled");
  const assigned = [...shiftOf(run).assigned.keys()];
  expect(bookings.map(({ providerCandidateId }) => providerCandidateId).sort()).toEqual(assigned.sort());
  const numbers = provider.candidates
    .filter(({ id }) => assigned.includes(id))
    .map((each) => each.personalNumber);
  expect(numbers.sort()).toEqual([newcomer, regular].map((each) => each.personalNumber).sort());
}

async function isChanged(run: FlowRun) {
  const { id, endTime } = shiftOf(run);
  run.provider.updateShift(id, { endTime: new Date(Date.parse(endTime) + HOUR_MS).toISOString() });
}

async function isNotifiedOfTheChange(run: FlowRun) {
  const job = await jobOf(run);
  expect(job).toMatchObject({ status: "filled", endTime: shiftOf(run).endTime });
  expect(await run.notifications(job, "shift_changed")).toHaveLength(2);
}

async function isWithdrawn(run: FlowRun) {
  expect(await run.withdraw(await jobOf(run), run.regular)).toEqual({ status: 204 });
  expect(shiftOf(run).assigned.size).toBe(1);
  const { status, bookings } = await jobOf(run);
  expect(status).toBe("open");
  expect(bookings.map((booking) => booking.status).sort()).toEqual(["confirmed", "released"]);
}

async function isCancelled(run: FlowRun) {
  expect(await run.cancel(await jobOf(run))).toEqual({ status: 202 });
}

async function isOver(run: FlowRun) {
  expect(shiftOf(run).cancelled).toBe(true);
  const job = await jobOf(run);
  expect(job).toMatchObject({ status: "cancelled", cancelling: false });
  expect(job.bookings.map(({ status }) => status)).toEqual(["released", "released"]);
  const notifications = await run.notifications(job, "shift_cancelled");
  expect(notifications.map(({ candidateId }) => candidateId)).toEqual([run.newcomer.candidateId]);
  const events = (await run.events()).map(({ event, status }) => [event, status]);
  expect(events).toEqual([
    ["shift.create", "processed"],
    ["shift.update", "processed"],
    ["shift.delete", "skipped_echo"],
  ]);
}

async function wasUnderstood(run: FlowRun) {
  const { routing, ...seen } = run.dialect;
  const path = { providerId: run.providerId };
  const integration = ok(await run.harness.operations.getIntegration({ params: { path } }));
  expect(integration).toMatchObject({ routing, dialect: seen, state: "active" });
  expect(await run.issues()).toEqual([]);
  expect(run.calls.filter(({ status }) => status >= 500)).toEqual([]);
}
