import { setTimeout as sleep } from "node:timers/promises";
import type { PostgresServer } from "../embedded-postgres.ts";
import type { Random } from "./random.ts";
import type { Victim } from "./victim.ts";

/** Where a kill hits. */
export type Moment = "any" | "in a call" | "at the start" | "the database";

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
}

// A call that never comes must not hold up the run.
const PATIENCE_MS = 2_000;
const START_MS = 1_000;

/** One kill, and the start after it. */
export async function killOnce(killing: Killing): Promise<Moment> {
  const { victim, random, postgres, whileDown } = killing;
  const moment = random.pick<Moment>([
    ...(["any", "any", "in a call", "in a call", "at the start"] as const),
    ...(postgres ? (["the database"] as const) : []),
  ]);
  await hit(moment, killing);
  if (moment === "the database") return moment;
  await whileDown?.();
  await victim.start();
  return moment;
}

async function hit(moment: Moment, { victim, random, postgres, inCall }: Killing): Promise<void> {
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
  }
}
