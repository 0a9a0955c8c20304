import type { Job } from "../../../generated/operations/types.ts";
import { outcomeText } from "../../contract/operator-text.ts";
import type { Change } from "../../sandbox/desk.ts";
import type { Onboarded, Person } from "./onboarding.ts";
import { expectOk, type Stage, step, until, within } from "./stage.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The four flows of contract section 1, one after the other, on one shift. */
export async function playFlows(stage: Stage, { candidates }: Onboarded): Promise<Job> {
  const job = await shiftIsCreated(stage, candidates);
  const [, newcomer] = candidates;
  if (!newcomer) throw new Error("the demonstration needs two candidates");
  await candidateAccepts(stage, job, newcomer);
  await shiftIsChanged(stage, job, newcomer);
  await jobIsCancelled(stage, job, newcomer);
  return job;
}

async function shiftIsCreated(stage: Stage, candidates: readonly Person[]): Promise<Job> {
  const { provider, teller } = stage;
  teller.chapter(1, "A shift is created at the provider");
  const change = await step(stage, "the provider sends shift.create", async () => {
    const startTime = await freeTime(stage);
    const endTime = new Date(startTime.getTime() + 8 * HOUR_MS);
    const times = { startTime: startTime.toISOString(), endTime: endTime.toISOString() };
    const created = provider.createShift({ ...times, positions: 2 });
    return [created, await delivery(stage, created)];
  });
  const job = await step(stage, "the platform reads the shift and creates a job", async () => {
    const created = await until(stage, "the job", () =>
      jobOf(stage, change.shiftId, ({ status }) => status === "open"),
    );
    return [created, `${created.status}, ${created.positions} positions`];
  });
  await step(stage, "it matches candidates and notifies them", async () => {
    const notified = await until(stage, "the offers", async () => {
      const offers = await notificationsOf(stage, job, "job_offered");
      return offers.length >= candidates.length ? offers : undefined;
    });
    return [notified, `offered to ${candidates.map(({ name }) => name).join(", ")}`];
  });
  return job;
}

async function candidateAccepts(stage: Stage, { jobId, shiftId }: Job, person: Person): Promise<void> {
  const { operations, provider, teller } = stage;
  teller.chapter(2, `${person.name} accepts the job`);
  const booking = await step(stage, "the platform reserves the seat and assigns", async () => {
    const { candidateId } = person;
    const answer = await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
    const accepted = expectOk(answer);
    if (accepted.status !== "confirmed") throw new Error(`the booking is ${accepted.status}`);
    return [accepted, await callsOf(stage, accepted.traceId)];
  });
  await step(stage, "the provider has the assignment", async () => {
    const assigned = [...(provider.shift(shiftId)?.assigned.keys() ?? [])];
    const isThere =
      booking.providerCandidateId !== undefined && assigned.includes(booking.providerCandidateId);
    if (!isThere || assigned.length !== 1)
      throw new Error(`the provider's shift has ${assigned.length} assignments`);
    return [undefined, "1 of 2 positions"];
  });
}

/** The calls to the provider, as the trace has them. */
async function callsOf({ operations }: Stage, traceId: string): Promise<string> {
  const { steps } = expectOk(await operations.getTrace({ params: { path: { traceId } } }));
  const calls = steps.filter(({ step }) => step === "candidate" || step === "assign");
  return calls.map(({ step, verdict }) => lowerFirst(outcomeText(verdict, step))).join("; ");
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

async function shiftIsChanged(
  stage: Stage,
  { shiftId, jobId, startTime }: Job,
  person: Person,
): Promise<void> {
  const { provider, teller } = stage;
  teller.chapter(3, "The shift is moved by an hour at the provider");
  const moved = new Date(Date.parse(startTime) + HOUR_MS).toISOString();
  await step(stage, "the provider sends shift.update", async () => {
    const change = provider.updateShift(shiftId, { startTime: moved });
    return [change, await delivery(stage, change)];
  });
  const job = await step(stage, "the platform reads it and updates the job", async () => {
    const isMoved = (each: Job) => each.jobId === jobId && each.startTime === moved;
    const updated = await until(stage, "the new time", () => jobOf(stage, shiftId, isMoved));
    return [updated, `starts ${updated.startTime}`];
  });
  await notifiesBooked(stage, job, person, "shift_changed", `${person.name} is notified of the new time`);
}

async function jobIsCancelled(stage: Stage, { jobId, shiftId }: Job, person: Person): Promise<void> {
  const { operations, provider, teller } = stage;
  teller.chapter(4, "The employer cancels the job on the platform");
  await step(stage, "the platform records the cancellation", async () => {
    expectOk(await operations.cancelJob({ params: { path: { jobId } } }));
    return [undefined, "and sends DELETE /shifts/{id}"];
  });
  const job = await step(stage, "the provider confirms; the job is cancelled", async () => {
    const isCancelled = ({ status }: Job) => status === "cancelled";
    const cancelled = await until(stage, "the cancellation", () => jobOf(stage, shiftId, isCancelled));
    if (!provider.shift(shiftId)?.cancelled) throw new Error("the provider's shift is still open");
    return [cancelled, `bookings: ${cancelled.bookings.map(({ status }) => status).join(", ")}`];
  });
  await notifiesBooked(stage, job, person, "shift_cancelled", `${person.name} is notified`);
  await step(stage, "the provider's echo is recognised and skipped", async () => {
    const query = { providerId: provider.providerId, shiftId, status: "skipped_echo" } as const;
    const echo = await until(stage, "the echo", async () => {
      const { items } = expectOk(await operations.listEvents({ params: { query } }));
      return items.find(({ event }) => event === "shift.delete");
    });
    return [echo, echo.verdict ? lowerFirst(outcomeText(echo.verdict)) : echo.status];
  });
}

function notifiesBooked(stage: Stage, job: Job, { candidateId }: Person, kind: string, name: string) {
  return step(stage, name, async () => {
    const notification = await until(stage, "the notification", async () => {
      const all = await notificationsOf(stage, job, kind);
      return all.find((each) => each.candidateId === candidateId);
    });
    return [notification, `notification ${kind}`];
  });
}

/** How quickly the platform acknowledged the webhook. */
async function delivery(stage: Stage, { traceId }: Change): Promise<string> {
  const startedAt = performance.now();
  const delivered = await within(stage, "the acknowledgement", stage.provider.delivered(traceId));
  if (!delivered.delivered) throw new Error(`the platform did not accept it: ${delivered.reason}`);
  return `acknowledged in ${Math.max(1, Math.round(performance.now() - startedAt))} ms`;
}

async function jobOf(stage: Stage, shiftId: string, fits: (job: Job) => boolean): Promise<Job | undefined> {
  const query = { providerId: stage.provider.providerId, shiftId };
  return expectOk(await stage.operations.listJobs({ params: { query } })).items.find(fits);
}

async function notificationsOf({ operations }: Stage, { jobId }: Job, kind: string) {
  const { items } = expectOk(await operations.listNotifications({ params: { query: { jobId } } }));
  return items.filter((notification) => notification.kind === kind);
}

/** The first whole hour after every shift of an earlier run, so that no candidate is booked then. */
async function freeTime({ operations }: Stage): Promise<Date> {
  let latest = Date.now();
  for (const status of ["open", "filled"] as const) {
    const { items } = expectOk(await operations.listJobs({ params: { query: { status, limit: 200 } } }));
    latest = Math.max(latest, ...items.map(({ endTime }) => Date.parse(endTime)));
  }
  return new Date(Math.ceil(latest / HOUR_MS) * HOUR_MS + DAY_MS);
}
