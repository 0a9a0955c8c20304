import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE_MS } from "../../src/contract/timestamp.ts";
import type { PostgresServer } from "../../test/harness/embedded-postgres.ts";
import type { Random } from "../../test/harness/random.ts";
import type { Disk } from "./disk.ts";
import { FAILURES, type Failure, type Pair } from "./pair.ts";
import type { Target } from "./target.ts";

/** The moment of a kill, or another fault. */
export type FaultKind =
  | "any"
  | "in a call"
  | "at the start"
  | "the database"
  | "a full disk"
  | "a clock that jumps"
  | `a failover, primary ${Failure}`;

export interface Injection {
  /** The processes of the platform; each fault hits one of them, a full disk all. */
  targets: readonly Target[];
  random: Random;
  /** Called at the start and at the end of a fault: work in between may be repeated. */
  mark: (is: "begun" | "over") => void;
  /** Absent for the embedded database. */
  postgres?: PostgresServer | undefined;
  /** Replaces `postgres`: in every second fault its primary fails over to its standby. */
  pair?: Pair | undefined;
  /** Resolves when every process of the platform is ready again. */
  ready: () => Promise<void>;
  /**
   * Calls back within a later provider call, after its effect and before its response. `calls` is the number of calls until then. Returns
   * a function that cancels it.
   */
  inCall: (calls: number, then: () => void) => () => void;
  /** Called while no platform process runs. */
  whileDown?: () => Promise<void>;
  /** The database's disk, where one could be created; it is filled up in some faults. */
  disk?: Pick<Disk, "fill"> | undefined;
  /** Whether the clock jumps in some faults. */
  clockJumps?: boolean;
}

// A call that never arrives must not hold up the run.
const PATIENCE_MS = 2_000;
const PAUSE_MS = 4_000;
/** Calls between two faults: a platform that is killed before any progress uses up the attempts of its work. */
const PAUSE_CALLS = 10;
const START_MS = 1_000;
const JUMPS_MS: readonly number[] = [-120, -5, -1, 1, 5, 120].map((minutes) => minutes * MINUTE_MS);

/** Causes one fault, and restarts what it stopped. Returns how long it took. */
export async function injectFault(injection: Injection): Promise<{ fault: FaultKind; tookMs: number }> {
  const { targets, random, postgres, pair, disk, clockJumps, inCall } = injection;
  const breath = Promise.withResolvers<void>();
  const disarm = inCall(PAUSE_CALLS, breath.resolve);
  await withinTime(breath.promise, PAUSE_MS);
  disarm();
  const fault = random.pick<FaultKind>([
    ...(["any", "any", "in a call", "in a call", "at the start"] as const),
    ...(postgres ? (["the database"] as const) : []),
    ...(disk ? (["a full disk"] as const) : []),
    ...(clockJumps ? (["a clock that jumps"] as const) : []),
    ...(pair ? [...FAILURES, ...FAILURES].map((failure) => `a failover, primary ${failure}` as const) : []),
  ]);
  const begun = performance.now();
  await hit(fault, injection, random.pick(targets));
  return { fault, tookMs: performance.now() - begun };
}

async function hit(fault: FaultKind, injection: Injection, target: Target): Promise<void> {
  const { random } = injection;
  switch (fault) {
    case "any":
      await sleep(random.between(20, 500));
      return killed(injection, target);
    case "in a call":
      await killedInCall(injection, target);
      return killed(injection, target);
    case "at the start":
      return killed(injection, target, async () => {
        const started = target.start();
        await sleep(random.between(0, START_MS));
        await target.kill();
        await started;
      });
    case "the database":
      await sleep(random.between(20, 500));
      return crashed(injection);
    case "a full disk":
      return fillUp(injection);
    case "a failover, primary killed":
      return failOver(injection, "killed");
    case "a failover, primary frozen":
      return failOver(injection, "frozen");
    case "a failover, primary switched":
      return failOver(injection, "switched");
    case "a clock that jumps":
      target.jump(random.pick(JUMPS_MS));
      await sleep(random.between(200, 1_500));
      return target.jump(0);
  }
}

/** @param down runs before the restart. */
async function killed({ mark, whileDown }: Injection, target: Target, down?: () => Promise<void>) {
  mark("begun");
  await target.kill();
  await down?.();
  await whileDown?.();
  await target.start();
  mark("over");
}

/** Kills in one of the next calls; does nothing when there are none. */
async function killedInCall({ random, inCall, mark }: Injection, target: Target): Promise<void> {
  const disarm = inCall(random.between(1, 10), () => {
    mark("begun");
    target.killNow();
  });
  await withinTime(target.gone(), PATIENCE_MS);
  disarm();
}

async function crashed({ mark, postgres }: Injection): Promise<void> {
  mark("begun");
  await postgres?.crash();
  await postgres?.restart();
  mark("over");
}

async function failOver({ mark, pair, ready }: Injection, failure: Failure): Promise<void> {
  mark("begun");
  await pair?.failOver(failure);
  await ready();
  mark("over");
}

/** Fills the disk. A database that cannot write may end; then space is freed and it is restarted, as a supervisor does. */
async function fillUp({ targets, random, mark, postgres, disk, whileDown }: Injection): Promise<void> {
  const crashes = targets.map((target) => target.crashes.length);
  mark("begun");
  const free = disk?.fill();
  await sleep(random.between(500, 2_000));
  await Promise.all(targets.map((target) => target.kill()));
  await postgres?.crash();
  free?.();
  await postgres?.restart();
  for (const [index, target] of targets.entries()) target.crashes.splice(crashes[index] ?? 0);
  await whileDown?.();
  await Promise.all(targets.map((target) => target.start()));
  mark("over");
}

/** Resolves with `what`, or after this time. Milliseconds. */
export async function withinTime(what: Promise<unknown>, ms: number): Promise<void> {
  const over = new AbortController();
  const timer = sleep(Math.max(0, ms), undefined, { signal: over.signal }).catch(() => undefined);
  await Promise.race([what, timer]);
  over.abort();
}
