import type { Job } from "../../../generated/operations/types.ts";
import { outcomeText } from "../../contract/operator-text.ts";
import { DAY_MS, HOUR_MS } from "../../contract/timestamp.ts";
import type { Change } from "../../sandbox/provider-actions.ts";
import { type Onboarded, onboard, type Person } from "./onboarding.ts";
import { type DemoContext, expectOk, StepFailed, step, until, within } from "./step.ts";

/** Runs the four flows of contract section 1, one after the other, on one shift. */
async function runFlows(demo: DemoContext, { candidates }: Onboarded): Promise<Job> {
  const job = await shiftIsCreated(demo, candidates);
  const [, newcomer] = candidates;
  if (!newcomer) throw new Error("the demo needs two candidates");
  await candidateAccepts(demo, job, newcomer);
  await shiftIsChanged(demo, job, newcomer);
  await jobIsCancelled(demo, job, newcomer);
  return job;
}

async function shiftIsCreated(demo: DemoContext, candidates: readonly Person[]): Promise<Job> {
  const { provider, printer } = demo;
  printer.heading(1, "A shift is created at the provider");
  const change = await step(demo, "the provider sends shift.create", async () => {
    const startTime = await freeTime(demo);
    const endTime = new Date(startTime.getTime() + 8 * HOUR_MS);
    const times = { startTime: startTime.toISOString(), endTime: endTime.toISOString() };
    const created = provider.createShift({ ...times, positions: 2 });
    return [created, await delivery(demo, created)];
  });
  const job = await step(demo, "the platform reads the shift and creates a job", async () => {
    const created = await until(demo, "the job", () =>
      jobOf(demo, change.shiftId, ({ status }) => status === "open"),
    );
    return [created, `${created.status}, ${created.positions} positions`];
  });
  await step(demo, "it matches candidates and notifies them", async () => {
    const notified = await until(demo, "the offers", async () => {
      const offers = await notificationsOf(demo, job, "job_offered");
      return offers.length >= candidates.length ? offers : undefined;
    });
    return [notified, `offered to ${candidates.map(({ name }) => name).join(", ")}`];
  });
  return job;
}

async function candidateAccepts(demo: DemoContext, { jobId, shiftId }: Job, person: Person): Promise<void> {
  const { operations, provider, printer } = demo;
  printer.heading(2, `${person.name} accepts the job`);
  const booking = await step(demo, "the platform reserves the seat and assigns", async () => {
    const { candidateId } = person;
    const answer = await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
    const accepted = expectOk(answer);
    if (accepted.status !== "confirmed") throw new Error(`the booking is ${accepted.status}`);
    return [accepted, await callsOf(demo, accepted.traceId)];
  });
  await step(demo, "the provider has the assignment", async () => {
    const assigned = [...(provider.shift(shiftId)?.assigned.keys() ?? [])];
    const isThere =
      booking.providerCandidateId !== undefined && assigned.includes(booking.providerCandidateId);
    if (!isThere || assigned.length !== 1)
      throw new Error(`the provider's shift has ${assigned.length} assignments`);
    return [undefined, "1 of 2 positions"];
  });
}

/** Returns the outcomes of the calls to the provider, from the trace. */
async function callsOf({ operations }: DemoContext, traceId: string): Promise<string> {
  const { steps } = expectOk(await operations.getTrace({ params: { path: { traceId } } }));
  const calls = steps.filter(({ step }) => step === "candidate" || step === "assign");
  return calls.map(({ step, verdict }) => lowerFirst(outcomeText(verdict, step))).join("; ");
}

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

async function shiftIsChanged(
  demo: DemoContext,
  { shiftId, jobId, startTime }: Job,
  person: Person,
): Promise<void> {
  const { provider, printer } = demo;
  printer.heading(3, "The shift is moved by an hour at the provider");
  const moved = new Date(Date.parse(startTime) + HOUR_MS).toISOString();
  await step(demo, "the provider sends shift.update", async () => {
    const change = provider.updateShift(shiftId, { startTime: moved });
    return [change, await delivery(demo, change)];
  });
  const job = await step(demo, "the platform reads it and updates the job", async () => {
    const isMoved = (each: Job) => each.jobId === jobId && each.startTime === moved;
    const updated = await until(demo, "the new time", () => jobOf(demo, shiftId, isMoved));
    return [updated, `starts ${updated.startTime}`];
  });
  await notifiesBooked(demo, job, person, "shift_changed", `${person.name} is notified of the new time`);
}

async function jobIsCancelled(demo: DemoContext, { jobId, shiftId }: Job, person: Person): Promise<void> {
  const { operations, provider, printer } = demo;
  printer.heading(4, "The employer cancels the job on the platform");
  await step(demo, "the platform records the cancellation", async () => {
    expectOk(await operations.cancelJob({ params: { path: { jobId } } }));
    return [undefined, "and sends DELETE /shifts/{id}"];
  });
  const job = await step(demo, "the provider confirms; the job is cancelled", async () => {
    const isCancelled = ({ status }: Job) => status === "cancelled";
    const cancelled = await until(demo, "the cancellation", () => jobOf(demo, shiftId, isCancelled));
    if (!provider.shift(shiftId)?.cancelled) throw new Error("the provider's shift is still open");
    return [cancelled, `bookings: ${cancelled.bookings.map(({ status }) => status).join(", ")}`];
  });
  await notifiesBooked(demo, job, person, "shift_cancelled", `${person.name} is notified`);
  await step(demo, "the provider's echo is recognised and skipped", async () => {
    const query = { providerId: provider.providerId, shiftId, status: "skipped_echo" } as const;
    const echo = await until(demo, "the echo", async () => {
      const { items } = expectOk(await operations.listEvents({ params: { query } }));
      return items.find(({ event }) => event === "shift.delete");
    });
    return [echo, echo.verdict ? lowerFirst(outcomeText(echo.verdict)) : echo.status];
  });
}

function notifiesBooked(demo: DemoContext, job: Job, { candidateId }: Person, kind: string, name: string) {
  return step(demo, name, async () => {
    const notification = await until(demo, "the notification", async () => {
      const all = await notificationsOf(demo, job, kind);
      return all.find((each) => each.candidateId === candidateId);
    });
    return [notification, `notification ${kind}`];
  });
}

/** Returns how quickly the platform acknowledged the webhook. */
async function delivery(demo: DemoContext, { traceId }: Change): Promise<string> {
  const startedAt = performance.now();
  const delivered = await within(demo, "the acknowledgement", demo.provider.delivered(traceId));
  if (!delivered.delivered) throw new Error(`the platform did not accept it: ${delivered.reason}`);
  return `acknowledged in ${Math.max(1, Math.round(performance.now() - startedAt))} ms`;
}

async function jobOf(
  demo: DemoContext,
  shiftId: string,
  fits: (job: Job) => boolean,
): Promise<Job | undefined> {
  const query = { providerId: demo.provider.providerId, shiftId };
  return expectOk(await demo.operations.listJobs({ params: { query } })).items.find(fits);
}

async function notificationsOf({ operations }: DemoContext, { jobId }: Job, kind: string) {
  const { items } = expectOk(await operations.listNotifications({ params: { query: { jobId } } }));
  return items.filter((notification) => notification.kind === kind);
}

/** Returns the first whole hour after every shift of an earlier run, when no candidate is booked. */
async function freeTime({ operations }: DemoContext): Promise<Date> {
  let latest = Date.now();
  for (const status of ["open", "filled"] as const) {
    const { items } = expectOk(await operations.listJobs({ params: { query: { status, limit: 200 } } }));
    latest = Math.max(latest, ...items.map(({ endTime }) => Date.parse(endTime)));
  }
  return new Date(Math.ceil(latest / HOUR_MS) * HOUR_MS + DAY_MS);
}

/** Runs onboarding and the four flows, and prints each step. Returns whether all succeeded. */
export async function runDemo(demo: DemoContext): Promise<boolean> {
  const { printer } = demo;
  const startedAt = performance.now();
  try {
    const job = await runFlows(demo, await onboard(demo));
    printer.line("");
    printer.line(`All four flows completed in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
    printer.line(`The complete trace: GET /operations/v1/traces/${job.traceId}`);
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    printer.failed(error.step, error.message);
    printer.line("");
    printer.line(`Failed at: ${error.step}.`);
    return false;
  }
}
