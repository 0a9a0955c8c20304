/**
 * The expected state of a platform and a provider after each step: a plain second implementation of the contract and its decisions.
 * Every candidate has the competence, and every fault but the three refusals ends before the platform gives up.
 */
export interface Model {
  people: readonly number[];
  pairs: Pair[];
  /** Sent by the provider, not delivered yet, in the order of their causes. */
  waiting: Webhook[];
  delivered: Webhook[];
  /** Whether the next call of that kind is refused. */
  refusing: Set<Refusal>;
}

export type Refusal = "assign-conflict" | "cancel-refused" | "update-refused";

export interface Webhook {
  event: "shift.create" | "shift.update" | "shift.delete";
  /** Index of the pair. */
  shift: number;
  traceId: string;
}

/** A shift and its job on the platform. */
interface Pair {
  /** Shifts of different days never overlap. */
  day: number;
  shift: ModelShift;
  job: ModelJob | undefined;
  /** The provider confirmed the platform's DELETE, and its echo has not arrived. */
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
  /** Indexes of people, and OWN. */
  assigned: Set<number>;
}

/** A person whom the provider assigned itself. */
export const OWN = -1;

interface ModelJob extends Values {
  isCancelled: boolean;
  booked: Set<number>;
  /** Whether OWN is on the shift. */
  hasOwn: boolean;
  /** The people who are not offered the job again. */
  withdrawn: Set<number>;
  /** The people with a valid offer. */
  offered: Set<number>;
  /** `person start end` of the offers since a confirmed booking last ended: such an offer is made once. */
  made: Set<string>;
  /** `kind person`. */
  notified: string[];
}

export interface ModelAnswer {
  status: number;
  code?: string | undefined;
}

export const statusOf = (job: ModelJob) =>
  job.isCancelled ? "cancelled" : takenOf(job) >= job.positions ? "filled" : "open";

const takenOf = ({ booked, hasOwn }: ModelJob) => booked.size + (hasOwn ? 1 : 0);

export const isOverfilled = (job: ModelJob) =>
  !job.isCancelled && job.booked.size > 0 && takenOf(job) > job.positions;

export function pairOf(values: Values, day: number): Pair {
  const shift = { ...values, isDeleted: false, assigned: new Set<number>() };
  return { day, shift, job: undefined, expectsEcho: false };
}

export function at(model: Model, index: number): Pair {
  const pair = model.pairs[index];
  if (!pair) throw new Error(`shift ${index} does not exist`);
  return pair;
}

/** Returns whether the platform knows the current state of the shift. */
export function isCurrent({ shift, job }: Pair): boolean {
  const isSame = job?.start === shift.start && job.end === shift.end && job.positions === shift.positions;
  const isSameOwn = job?.hasOwn === shift.assigned.has(OWN);
  return job?.isCancelled === shift.isDeleted && (job.isCancelled || (isSame && isSameOwn));
}

/** Updates the job from a response of the provider. */
function read(model: Model, pair: Pair): void {
  const { shift, job } = pair;
  const { start, end, positions } = shift;
  if (shift.isDeleted) close(pair);
  else if (!job) pair.job = newJob({ start, end, positions }, shift.assigned.has(OWN));
  else if (!job.isCancelled) {
    if (job.start !== start || job.end !== end) {
      notifyBooked(job, "shift_changed");
      job.offered.clear();
    }
    Object.assign(job, { start, end, positions, hasOwn: shift.assigned.has(OWN) });
  }
  offer(model, pair);
}

const newJob = (values: Values, hasOwn: boolean): ModelJob => ({
  ...values,
  hasOwn,
  ...{ isCancelled: false, booked: new Set(), withdrawn: new Set(), offered: new Set() },
  ...{ made: new Set(), notified: [] },
});

/** Offers an open job to every candidate who is free, has not withdrawn and holds no offer; offers of any other job end. */
function offer(model: Model, { day, job }: Pair): void {
  if (!job) return;
  const isOpen = statusOf(job) === "open";
  if (!isOpen) job.offered.clear();
  const isBusy = (person: number) =>
    model.pairs.some((other) => other.day === day && overlaps(other.job, job, person));
  for (const person of isOpen ? model.people : []) {
    if (isBusy(person) || job.withdrawn.has(person) || job.offered.has(person)) continue;
    job.offered.add(person);
    const made = `${person} ${job.start} ${job.end}`;
    if (!job.made.has(made)) job.notified.push(`job_offered ${person}`);
    job.made.add(made);
  }
}

function close({ job }: Pair): void {
  if (!job || job.isCancelled) return;
  notifyBooked(job, "shift_cancelled");
  job.booked.clear();
  job.offered.clear();
  job.isCancelled = true;
}

function notifyBooked({ booked, notified }: ModelJob, kind: string): void {
  for (const person of booked) notified.push(`${kind} ${person}`);
}

export function deliver(model: Model, webhook: Webhook): void {
  const pair = at(model, webhook.shift);
  model.delivered.push(webhook);
  if (webhook.event === "shift.delete" && pair.expectsEcho) pair.expectsEcho = false;
  else read(model, pair);
}

/** Reads the shift after an event: a deletion of an existing shift has no effect. */
export function replay(model: Model, webhook: Webhook): void {
  read(model, at(model, webhook.shift));
}

export function accept(model: Model, index: number, person: number): ModelAnswer {
  const pair = at(model, index);
  const job = jobOf(pair);
  if (job.booked.has(person)) return { status: 201, code: "confirmed" };
  const status = statusOf(job);
  if (status === "cancelled") return { status: 409, code: "job_not_open" };
  if (status === "filled") return { status: 409, code: "job_filled" };
  if (model.pairs.some((other) => other.day === pair.day && overlaps(other.job, job, person)))
    return { status: 409, code: "booking_overlaps" };
  job.booked.add(person);
  offer(model, pair);
  if (assign(model, pair, person)) {
    job.notified.push(`booking_confirmed ${person}`);
    return { status: 201, code: "confirmed" };
  }
  job.booked.delete(person);
  job.notified.push(`booking_released ${person}`);
  read(model, pair);
  return { status: 409, code: "provider_refused" };
}

const jobOf = ({ job }: Pair): ModelJob => {
  if (!job) throw new Error("the shift has no job yet");
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

/** Reads the shift after the call. */
export function withdraw(model: Model, index: number, person: number): ModelAnswer {
  const pair = at(model, index);
  const job = jobOf(pair);
  if (!job.booked.has(person)) return { status: 404, code: "booking_not_found" };
  offer(model, pair);
  if (statusOf(job) !== "open") job.made.clear();
  job.booked.delete(person);
  job.withdrawn.add(person);
  pair.shift.assigned.delete(person);
  job.notified.push(`booking_released ${person}`);
  read(model, pair);
  return { status: 204 };
}

/** `echoed`: the provider cancelled because of it, and will send an event. */
export function cancel(model: Model, index: number): ModelAnswer & { echoed: boolean } {
  const pair = at(model, index);
  const job = jobOf(pair);
  const accepted = { status: 202, echoed: false };
  if (job.isCancelled) return accepted;
  job.offered.clear();
  if (model.refusing.delete("cancel-refused")) {
    read(model, pair);
    return accepted;
  }
  const echoed = !pair.shift.isDeleted;
  pair.shift.isDeleted = true;
  pair.expectsEcho = true;
  close(pair);
  return { ...accepted, echoed };
}

/** Returns whether the provider's shift already has these values. Then a read after a failed call shows the change as made. */
export function isAlready(model: Model, index: number, named: Partial<Values>): boolean {
  const { shift } = at(model, index);
  return Object.entries(named).every(([name, value]) => shift[name as keyof Values] === value);
}

export function change(
  model: Model,
  index: number,
  named: Partial<Values>,
): ModelAnswer & { echoed: boolean } {
  const pair = at(model, index);
  const { start, end, positions, isCancelled } = jobOf(pair);
  if (isCancelled) return { status: 409, code: "job_not_open", echoed: false };
  offer(model, pair);
  if (model.refusing.delete("update-refused") || pair.shift.isDeleted) {
    read(model, pair);
    return { status: 409, code: "provider_refused", echoed: false };
  }
  Object.assign(pair.shift, { start, end, positions, ...named });
  read(model, pair);
  return { status: 200, echoed: true };
}
