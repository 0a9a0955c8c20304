import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresServer } from "../embedded-postgres.ts";
import type { Disk } from "./disk.ts";
import { inTime } from "./in-time.ts";
import { FAILURES, type Failure, type Pair } from "./pair.ts";
import type { Random } from "./random.ts";
import type { Target } from "./target.ts";

/** Where a kill hits, or what else befalls the platform. */
export type Moment =
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
  /** Called when a fault begins, and again when it is over: what is done in between may be done again. */
  mark: (is: "begun" | "over") => void;
  /** Absent: embedded. */
  postgres?: PostgresServer | undefined;
  /** In place of `postgres`: its primary fails over to its standby, every second fault. */
  pair?: Pair | undefined;
  /** Resolves when every process of the platform is ready again. */
  ready: () => Promise<void>;
  /**
   * Calls back in the middle of the provider call after `calls` more, when its effect is there and its answer is not. Answers what
   * takes that back.
   */
  inCall: (calls: number, then: () => void) => () => void;
  /** Called while no platform process runs. */
  whileDown?: () => Promise<void>;
  /** What the database is on, where it could be made: then it is filled up too. */
  disk?: Pick<Disk, "fill"> | undefined;
  /** The clock jumps too. */
  jumps?: boolean;
}

// A call that never comes must not hold up the run.
const PATIENCE_MS = 2_000;
const BREATH_MS = 4_000;
/** Between two faults: a platform that is killed before it gets anywhere uses up the tries of what it has in hand. */
const BREATH_CALLS = 10;
const START_MS = 1_000;
const MINUTE_MS = 60_000;
const JUMPS_MS: readonly number[] = [-120, -5, -1, 1, 5, 120].map((minutes) => minutes * MINUTE_MS);

/** One kill, or another fault, and the start after it. Returns how long it took. */
export async function injectFault(injection: Injection): Promise<{ moment: Moment; tookMs: number }> {
  const { targets, random, postgres, pair, disk, jumps, inCall } = injection;
  const breath = Promise.withResolvers<void>();
  const disarm = inCall(BREATH_CALLS, breath.resolve);
  await inTime(breath.promise, BREATH_MS);
  disarm();
  const moment = random.pick<Moment>([
    ...(["any", "any", "in a call", "in a call", "at the start"] as const),
    ...(postgres ? (["the database"] as const) : []),
    ...(disk ? (["a full disk"] as const) : []),
    ...(jumps ? (["a clock that jumps"] as const) : []),
    ...(pair ? [...FAILURES, ...FAILURES].map((failure) => `a failover, primary ${failure}` as const) : []),
  ]);
  const begun = performance.now();
  await hit(moment, injection, random.pick(targets));
  return { moment, tookMs: performance.now() - begun };
}

async function hit(moment: Moment, injection: Injection, target: Target): Promise<void> {
  const { random } = injection;
  switch (moment) {
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

/** @param down what happens before it is started again. */
async function killed({ mark, whileDown }: Injection, target: Target, down?: () => Promise<void>) {
  mark("begun");
  await target.kill();
  await down?.();
  await whileDown?.();
  await target.start();
  mark("over");
}

/** In one of the next calls, or not at all when there are none. */
async function killedInCall({ random, inCall, mark }: Injection, target: Target): Promise<void> {
  const disarm = inCall(random.between(1, 10), () => {
    mark("begun");
    target.killNow();
  });
  await inTime(target.gone(), PATIENCE_MS);
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

/** A database that cannot write may end; whoever runs it makes room and starts it again. */
async function fillUp({ targets, random, mark, postgres, disk, whileDown }: Injection): Promise<void> {
  const deaths = targets.map((target) => target.deaths.length);
  mark("begun");
  const free = disk?.fill();
  await sleep(random.between(500, 2_000));
  await Promise.all(targets.map((target) => target.kill()));
  await postgres?.crash();
  free?.();
  await postgres?.restart();
  for (const [index, target] of targets.entries()) target.deaths.splice(deaths[index] ?? 0);
  await whileDown?.();
  await Promise.all(targets.map((target) => target.start()));
  mark("over");
}
