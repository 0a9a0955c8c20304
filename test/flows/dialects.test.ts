import { describe, expect, it } from "vitest";
import { type Dialect, dialectName, everyDialect } from "../../src/contract/dialect.ts";
import { featureEngines } from "../engines.ts";
import { ok } from "../harness/operations.ts";
import type { Organisation, Person } from "../harness/organisation.ts";
import { type Harness, useHarness } from "../harness/platform.ts";

/** One organisation's way through the flows of contract section 1, seen from both sides. */
interface Story extends Organisation {
  harness: Harness;
  dialect: Dialect;
  /** New to the provider. */
  newcomer: Person;
  /** Known to the provider. */
  regular: Person;
}

const HOUR_MS = 3_600_000;
const STATIONS = [
  isCreated,
  isOffered,
  isAccepted,
  isChanged,
  isToldOfTheChange,
  isWithdrawn,
  isCancelled,
  isOver,
  wasUnderstood,
];

describe.each(featureEngines)("the four flows in every dialect at once, on %s", (engine) => {
  const harness = useHarness(engine);

  it("staffs, changes and cancels a shift of each of 32 organisations", { timeout: 120_000 }, async () => {
    const dialects = everyDialect();
    expect(dialects).toHaveLength(32);
    const stories = await Promise.all(dialects.map((dialect, index) => begin(harness(), dialect, index)));
    for (const station of STATIONS) {
      await Promise.all(stories.map((story) => play(story, station)));
      for (const { idle } of stories) await idle();
    }
  });
});

/** Every other organisation sends its webhooks to the path without its kind. */
async function begin(harness: Harness, dialect: Dialect, index: number): Promise<Story> {
  const organisation = await harness.onboard({ dialect, ownPath: index % 2 === 0 });
  const [newcomer, regular] = [await organisation.addPerson(), await organisation.addPerson()];
  organisation.provider.addCandidate({ personalNumber: regular.personalNumber });
  return { ...organisation, harness, dialect, newcomer, regular };
}

/** A failure names its dialect. */
async function play(story: Story, station: (story: Story) => Promise<void>): Promise<void> {
  try {
    await station(story);
  } catch (error) {
    if (error instanceof Error) error.message = `[${dialectName(story.dialect)}] ${error.message}`;
    throw error;
  }
}

function shiftOf({ provider }: Story) {
  const [shift, ...others] = provider.shifts;
  if (!shift || others.length > 0) throw new Error("each story has one shift");
  return shift;
}

const jobOf = (story: Story) => story.job(shiftOf(story).id);

async function isCreated({ provider }: Story) {
  const { traceId } = provider.createShift({ positions: 2 });
  expect(await provider.delivered(traceId)).toEqual({ delivered: true, tries: 1 });
}

async function isOffered(story: Story) {
  const { startTime, endTime } = shiftOf(story);
  const job = await jobOf(story);
  expect(job).toMatchObject({ status: "open", positions: 2, overfilled: false, startTime, endTime });
  expect(job).toMatchObject({ bookings: [], warnings: [] });
  const offers = await story.notifications(job, "job_offered");
  const people = [story.newcomer, story.regular].map(({ candidateId }) => candidateId);
  expect(offers.map(({ candidateId }) => candidateId).sort()).toEqual(people.sort());
}

async function isAccepted(story: Story) {
  const { provider, newcomer, regular } = story;
  const before = provider.candidates.length;
  const job = await jobOf(story);
  const confirmed = { status: 201, code: "confirmed" };
  expect(await Promise.all([story.accept(job, newcomer), story.accept(job, regular)])).toEqual([
    confirmed,
    confirmed,
  ]);
  expect(provider.candidates).toHaveLength(before + 1);
  const { status, bookings } = await jobOf(story);
  expect(status).toBe("filled");
  const assigned = [...shiftOf(story).assigned.keys()];
  expect(bookings.map(({ providerCandidateId }) => providerCandidateId).sort()).toEqual(assigned.sort());
  const numbers = provider.candidates
    .filter(({ id }) => assigned.includes(id))
    .map((each) => each.personalNumber);
  expect(numbers.sort()).toEqual([newcomer, regular].map((each) => each.personalNumber).sort());
}

async function isChanged(story: Story) {
  const { id, endTime } = shiftOf(story);
  story.provider.updateShift(id, { endTime: new Date(Date.parse(endTime) + HOUR_MS).toISOString() });
}

async function isToldOfTheChange(story: Story) {
  const job = await jobOf(story);
  expect(job).toMatchObject({ status: "filled", endTime: shiftOf(story).endTime });
  expect(await story.notifications(job, "shift_changed")).toHaveLength(2);
}

async function isWithdrawn(story: Story) {
  expect(await story.withdraw(await jobOf(story), story.regular)).toEqual({ status: 204 });
  expect(shiftOf(story).assigned.size).toBe(1);
  const { status, bookings } = await jobOf(story);
  expect(status).toBe("open");
  expect(bookings.map((booking) => booking.status).sort()).toEqual(["confirmed", "released"]);
}

async function isCancelled(story: Story) {
  expect(await story.cancel(await jobOf(story))).toEqual({ status: 202 });
}

async function isOver(story: Story) {
  expect(shiftOf(story).cancelled).toBe(true);
  const job = await jobOf(story);
  expect(job).toMatchObject({ status: "cancelled", cancelling: false });
  expect(job.bookings.map(({ status }) => status)).toEqual(["released", "released"]);
  const notifications = await story.notifications(job, "shift_cancelled");
  expect(notifications.map(({ candidateId }) => candidateId)).toEqual([story.newcomer.candidateId]);
  const events = (await story.events()).map(({ event, status }) => [event, status]);
  expect(events).toEqual([
    ["shift.create", "processed"],
    ["shift.update", "processed"],
    ["shift.delete", "skipped_echo"],
  ]);
}

async function wasUnderstood(story: Story) {
  const { routing, ...seen } = story.dialect;
  const path = { providerId: story.providerId };
  const integration = ok(await story.harness.operations.getIntegration({ params: { path } }));
  expect(integration).toMatchObject({ routing, dialect: seen, state: "active" });
  expect(await story.issues()).toEqual([]);
  expect(story.calls.filter(({ status }) => status >= 500)).toEqual([]);
}
