import fc from "fast-check";
import type { Job } from "../../../generated/operations/types.ts";
import { HOUR_MS } from "../../../src/contract/durations.ts";
import type { Person } from "../../harness/organisation.ts";
import type { Organisation } from "./organisation.ts";
import { TIMEOUT_MS } from "./pace.ts";
import type { ProviderOptions } from "./provider.ts";
import type { Fault, Operation, Scope } from "./provider-faults.ts";
import type { Shift } from "./provider-records.ts";

/** More deletions would be a mass disappearance. */
const MOST_DELETIONS = 5;
/** The platform does not guarantee to handle later effects and older reads. */
const LAG_MS = TIMEOUT_MS / 4;

/** A step; its numbers choose among the objects that exist at that time. */
export type Step =
  | {
      kind: "create" | "accept" | "withdraw" | "cancel" | "delete" | "join" | "leave";
      which: number;
      who: number;
    }
  | { kind: "move" | "resize" | "ask-move" | "ask-resize"; which: number; value: number }
  | { kind: "fault"; fault: Fault; scope: Scope };

const nat = fc.nat({ max: 999 });
const WEIGHTS = { create: 2, accept: 16, withdraw: 6, cancel: 1, delete: 1, join: 2, leave: 2 } as const;
const CHANGES = { move: 3, resize: 2, "ask-move": 2, "ask-resize": 2 } as const;

const operation = fc.constantFrom<Operation>(
  ...([
    "getShift",
    "updateShift",
    "cancelShift",
    "assign",
    "unassign",
    "findCandidates",
    "createCandidate",
  ] as const),
);

const CUTS: readonly Fault[] = [
  { kind: "lost", cut: "before-headers" },
  { kind: "lost", cut: "after-headers" },
  { kind: "late", afterMs: LAG_MS },
  { kind: "slow", ms: LAG_MS },
];
const REFUSALS: readonly Fault[] = [
  ...[500, 503, 401, 403].map((status) => ({ kind: "status", status }) as const),
  { kind: "status", status: 429, retryAfter: "0" },
  { kind: "gateway-404" },
];
const READS: readonly Fault[] = [{ kind: "stale", ms: LAG_MS }];

const times = fc.integer({ min: 1, max: 3 });
const briefly = fc.integer({ min: 20, max: 150 });
const anyOf = (faults: readonly Fault[]) => fc.constantFrom(...faults);
const fault = fc.oneof(
  fc.record({ fault: anyOf(CUTS), scope: fc.record({ on: operation, times }) }),
  fc.record({ fault: anyOf(REFUSALS), scope: fc.record({ on: operation, times }) }),
  fc.record({ fault: anyOf([...REFUSALS, ...READS]), scope: fc.record({ forMs: briefly }) }),
);

const weighted = <K extends string, T>(weights: Record<K, number>, make: (kind: K) => fc.Arbitrary<T>) =>
  (Object.entries(weights) as [K, number][]).map(([kind, weight]) => ({ weight, arbitrary: make(kind) }));

const step: fc.Arbitrary<Step> = fc.oneof(
  ...weighted(
    WEIGHTS,
    (kind) => fc.record({ kind: fc.constant(kind), which: nat, who: nat }) as fc.Arbitrary<Step>,
  ),
  ...weighted(
    CHANGES,
    (kind) => fc.record({ kind: fc.constant(kind), which: nat, value: nat }) as fc.Arbitrary<Step>,
  ),
  { weight: 8, arbitrary: fault.map((chosen): Step => ({ kind: "fault", ...chosen })) },
);

export const stepsOf = (seed: number, count: number): Step[] => fc.sample(step, { seed, numRuns: count });

const forms = fc.record({
  variant: fc.constantFrom("a", "b"),
  notFound: fc.constantFrom("empty", "404"),
  acknowledgement: fc.constantFrom("full", "minimal", "none"),
  unassign: fc.constantFrom("put", "delete", "both"),
  routing: fc.constantFrom("path", "header"),
  deletedShows: fc.constantFrom("absent", "cancelled"),
  codes: fc.boolean(),
} as const);

export const formsOf = (seed: number): ProviderOptions => fc.sample(forms, { seed, numRuns: 1 })[0] ?? {};

/** The requests to the platform, regardless of their results. */
export interface Asked {
  kind: "accept" | "withdraw" | "cancel" | "change";
  jobId: string;
  candidateId?: string;
}

export interface TestSystem {
  organisation: Organisation;
  people: readonly Person[];
  asked: Asked[];
  /** The original times of each shift: it moves only within its day, so no two shifts overlap. */
  firstTimes: Map<string, Shift>;
}

/** Performs the step. Webhooks are sent, but not awaited. */
export async function take(system: TestSystem, step: Step): Promise<void> {
  const { provider } = system.organisation;
  if (step.kind === "fault") provider.fault(step.fault, step.scope);
  else if (step.kind === "create") createShift(system, step.who);
  else {
    const live = provider.shiftIds().filter((shiftId) => provider.shift(shiftId)?.deleted === false);
    const shift = provider.shift(live[step.which % live.length] ?? "");
    if (shift) await actOn(system, step, shift);
  }
}

export function createShift({ organisation: { provider }, firstTimes }: TestSystem, value: number): void {
  const shift = provider.createShift({ positions: 1 + (value % 3) });
  firstTimes.set(shift.id, shift);
  announce(provider, "shift.create", shift.id);
}

type Announce = Organisation["provider"]["announce"];

function announce(provider: { announce: Announce }, ...[event, shiftId]: Parameters<Announce>): void {
  // The comparison of both sides reveals an unacknowledged one.
  provider.announce(event, shiftId).catch(() => undefined);
}

async function actOn(
  system: TestSystem,
  step: Exclude<Step, { kind: "fault" }>,
  shift: Shift,
): Promise<void> {
  const { provider } = system.organisation;
  const isDone = changeAtProvider(system, step, shift);
  if (isDone) announce(provider, step.kind === "delete" ? "shift.delete" : "shift.update", shift.id);
  if (isDone !== undefined) return;
  const job = await system.organisation.findJob(shift.id);
  if (job) await askPlatform(system, step, job, shift);
}

/** Returns whether it changed something; undefined for steps of the platform. */
function changeAtProvider(
  system: TestSystem,
  step: Exclude<Step, { kind: "fault" }>,
  shift: Shift,
): boolean | undefined {
  const { provider } = system.organisation;
  const own = shift.assigned.filter(({ by }) => by === "provider");
  switch (step.kind) {
    case "move":
      provider.updateShift(shift.id, timesOf(system, shift, step.value));
      return true;
    case "resize":
      provider.updateShift(shift.id, { positions: 1 + (step.value % 4) });
      return true;
    case "join":
      provider.assignOwn(shift.id);
      return true;
    case "leave":
      if (own[0]) provider.removePerson(shift.id, own[0].candidateId);
      return own.length > 0;
    case "delete": {
      const isAllowed =
        provider.deliveries.filter(({ event }) => event === "shift.delete").length < MOST_DELETIONS;
      if (isAllowed) provider.deleteShift(shift.id);
      return isAllowed;
    }
    default:
      return undefined;
  }
}

function timesOf({ firstTimes }: TestSystem, shift: Shift, value: number) {
  const { startTime, endTime } = firstTimes.get(shift.id) ?? shift;
  const move = (time: string) => new Date(Date.parse(time) + (value % 6) * HOUR_MS).toISOString();
  return { startTime: move(startTime), endTime: move(endTime) };
}

async function askPlatform(system: TestSystem, step: Step, job: Job, shift: Shift): Promise<void> {
  const { organisation, people, asked } = system;
  const { jobId } = job;
  if (step.kind === "accept" || step.kind === "withdraw") {
    const person = people[step.who % people.length];
    if (!person) return;
    asked.push({ kind: step.kind, jobId, candidateId: person.candidateId });
    await organisation[step.kind](job, person);
  } else if (step.kind === "cancel") {
    asked.push({ kind: "cancel", jobId });
    await organisation.cancel(job);
  } else if (step.kind === "ask-move" || step.kind === "ask-resize") {
    asked.push({ kind: "change", jobId });
    const body =
      step.kind === "ask-move" ? timesOf(system, shift, step.value) : { positions: 1 + (step.value % 4) };
    await organisation.change(job, body);
  }
}
