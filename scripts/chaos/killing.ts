import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresServer } from "../embedded-postgres.ts";
import type { Disk } from "./disk.ts";
import type { Random } from "./random.ts";
import type { Victim } from "./victim.ts";

/** Where a kill hits, or what else befalls the platform. */
export type Moment =
  | "any"
  | "in a call"
  | "at the start"
  | "the database"
  | "a full disk"
  | "a clock that jumps";

export interface Killing {
  victim: Victim;
  random: Random;
  /** Absent: embedded. */
  postgres?: PostgresServer | undefined;
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
const START_MS = 1_000;
const MINUTE_MS = 60_000;
const JUMPS_MS: readonly number[] = [-120, -5, -1, 1, 5, 120].map((minutes) => minutes * MINUTE_MS);

/** One kill, or another blow, and the start after it. */
export async function killOnce(killing: Killing): Promise<Moment> {
  const { victim, random, postgres, whileDown, disk, jumps } = killing;
  const moment = random.pick<Moment>([
    ...(["any", "any", "in a call", "in a call", "at the start"] as const),
    ...(postgres ? (["the database"] as const) : []),
    ...(disk ? (["a full disk"] as const) : []),
    ...(jumps ? (["a clock that jumps"] as const) : []),
  ]);
  await hit(moment, killing);
  if (moment === "the database" || moment === "a clock that jumps") return moment;
  await whileDown?.();
  await victim.start();
  return moment;
}

async function hit(moment: Moment, killing: Killing): Promise<void> {
  const { victim, random, postgres, inCall } = killing;
  switch (moment) {
    case "any":
      await sleep(random.between(20, 500));
      return victim.kill();
    case "in a call": {
      const disarm = inCall(random.between(1, 10), victim.shoot);
      const calm = new AbortController();
      await Promise.race([
        victim.gone(),
        sleep(PATIENCE_MS, undefined, { signal: calm.signal }).catch(() => undefined),
      ]);
      calm.abort();
      disarm();
      return victim.kill();
    }
    case "at the start": {
      await victim.kill();
      const started = victim.start();
      await sleep(random.between(0, START_MS));
      victim.shoot();
      await started;
      return victim.kill();
    }
    case "the database":
      await sleep(random.between(20, 500));
      await postgres?.crash();
      return postgres?.restart();
    case "a full disk":
      return fillUp(killing);
    case "a clock that jumps":
      victim.jump(random.pick(JUMPS_MS));
      await sleep(random.between(200, 1_500));
      return victim.jump(0);
  }
}

/** A database that cannot write may end; whoever runs it makes room and starts it again. */
async function fillUp({ victim, random, postgres, disk }: Killing): Promise<void> {
  const deaths = victim.deaths.length;
  const free = disk?.fill();
  await sleep(random.between(500, 2_000));
  await victim.kill();
  await postgres?.crash();
  free?.();
  await postgres?.restart();
  victim.deaths.splice(deaths);
}
