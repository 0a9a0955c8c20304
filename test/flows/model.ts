/**
 * What a platform and a provider should have after each step, in memory: the rules of CONTRACT and DECISIONS once more, as plainly as
 * they can be said. Everybody has the competence, and every fault but the three that refuse is over before the platform gives up.
 */
export interface Model {
  pairs: Pair[];
  /** Sent by the provider, not delivered yet, in the order of their causes. */
  waiting: Webhook[];
  delivered: Webhook[];
  /** The next call of that kind is refused. */
  refusing: Set<Refusal>;
}

export type Refusal = "assign-conflict" | "cancel-refused" | "update-refused";

export interface Webhook {
  event: "shift.create" | "shift.update" | "shift.delete";
  /** Index of the pair. */
  shift: number;
  traceId: string;
}

/** A shift and the job that the platform made of it. */
interface Pair {
  /** Shifts of different days never overlap. */
  day: number;
  shift: ModelShift;
  job: ModelJob | undefined;
  /** A DELETE of ours was confirmed, and its echo has not come. */
  expectsEcho: boolean;
}

/** Hours after the beginning of the shift's day. */
export interface Values {
  start: number;
  end: number;
  positions: number;
}

interface ModelShift extends Values {
  isDeleted: boolean;
  /** Indexes of people. */
  assigned: Set<number>;
}

interface ModelJob extends Values {
  isCancelled: boolean;
  booked: Set<number>;
  /** `kind person`, without offers. */
  told: string[];
}

export interface ModelAnswer {
  status: number;
  said?: string | undefined;
}

export const statusOf = ({ isCancelled, booked, positions }: ModelJob) =>
  isCancelled ? "cancelled" : booked.size >= positions ? "filled" : "open";

export function pairOf(values: Values, day: number): Pair {
  const shift = { ...values, isDeleted: false, assigned: new Set<number>() };
  return { day, shift, job: undefined, expectsEcho: false };
}

export function at(model: Model, index: number): Pair {
  const pair = model.pairs[index];
  if (!pair) throw new Error(`there is no shift ${index}`);
  return pair;
}

/** An answer of the provider is the truth. */
function read(pair: Pair): void {
  const { shift, job } = pair;
  const { start, end, positions } = shift;
  if (shift.isDeleted) close(pair);
  else if (!job) pair.job = { start, end, positions, isCancelled: false, booked: new Set(), told: [] };
  else if (!job.isCancelled) {
    if (job.start !== start || job.end !== end) tellBooked(job, "shift_changed");
    Object.assign(job, { start, end, positions });
  }
}

function close({ job }: Pair): void {
  if (!job || job.isCancelled) return;
  tellBooked(job, "shift_cancelled");
  job.booked.clear();
  job.isCancelled = true;
}

function tellBooked({ booked, told }: ModelJob, kind: string): void {
  for (const person of booked) told.push(`${kind} ${person}`);
}

export function deliver(model: Model, webhook: Webhook): void {
  const pair = at(model, webhook.shift);
  model.delivered.push(webhook);
  if (webhook.event === "shift.delete" && pair.expectsEcho) pair.expectsEcho = false;
  else process(pair, webhook);
}

/** A deletion of a shift that is still there is not believed. */
export function replay(model: Model, webhook: Webhook): void {
  process(at(model, webhook.shift), webhook);
}

function process(pair: Pair, { event }: Webhook): void {
  if (event !== "shift.delete" || pair.shift.isDeleted) read(pair);
}

export function accept(model: Model, index: number, person: number): ModelAnswer {
  const pair = at(model, index);
  const job = jobOf(pair);
  if (job.booked.has(person)) return { status: 201, said: "confirmed" };
  const status = statusOf(job);
  if (status === "cancelled") return { status: 409, said: "job_not_open" };
  if (status === "filled") return { status: 409, said: "job_filled" };
  if (model.pairs.some((other) => other.day === pair.day && overlaps(other.job, job, person)))
    return { status: 409, said: "booking_overlaps" };
  if (assign(model, pair, person)) {
    job.booked.add(person);
    job.told.push(`booking_confirmed ${person}`);
    return { status: 201, said: "confirmed" };
  }
  job.told.push(`booking_released ${person}`);
  read(pair);
  return { status: 409, said: "provider_refused" };
}

const jobOf = ({ job }: Pair): ModelJob => {
  if (!job) throw new Error("there is no job yet");
  return job;
};

const overlaps = (other: ModelJob | undefined, job: ModelJob, person: number): boolean =>
  other?.booked.has(person) === true && other.start < job.end && other.end > job.start;

function assign({ refusing }: Model, { shift }: Pair, person: number): boolean {
  if (refusing.delete("assign-conflict")) return false;
  if (shift.isDeleted || shift.assigned.size >= shift.positions) return false;
  shift.assigned.add(person);
  return true;
}

export function withdraw(model: Model, index: number, person: number): ModelAnswer {
  const pair = at(model, index);
  const job = jobOf(pair);
  if (!job.booked.delete(person)) return { status: 404, said: "booking_not_found" };
  pair.shift.assigned.delete(person);
  job.told.push(`booking_released ${person}`);
  return { status: 204 };
}

/** `echoed`: the provider cancelled because of it, and will say so. */
export function cancel(model: Model, index: number): ModelAnswer & { echoed: boolean } {
  const pair = at(model, index);
  const accepted = { status: 202, echoed: false };
  if (jobOf(pair).isCancelled || model.refusing.delete("cancel-refused")) return accepted;
  const echoed = !pair.shift.isDeleted;
  pair.shift.isDeleted = true;
  pair.expectsEcho = true;
  close(pair);
  return { ...accepted, echoed };
}

export function change(
  model: Model,
  index: number,
  named: Partial<Values>,
): ModelAnswer & { echoed: boolean } {
  const pair = at(model, index);
  const { start, end, positions, isCancelled } = jobOf(pair);
  if (isCancelled) return { status: 409, said: "job_not_open", echoed: false };
  if (model.refusing.delete("update-refused") || pair.shift.isDeleted)
    return { status: 409, said: "provider_refused", echoed: false };
  Object.assign(pair.shift, { start, end, positions, ...named });
  read(pair);
  return { status: 200, echoed: true };
}
