import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { pino } from "pino";
import { createClient } from "../../generated/operations/client.ts";
import { type Engine, openDatabase } from "../../src/platform/db/database.ts";
import type { Person } from "../../test/flows/operations.ts";
import { onboard } from "../../test/flows/organisation.ts";
import { freePort, type PostgresServer } from "../embedded-postgres.ts";
import { check, type Finding } from "./check.ts";
import { type Crowd, gather, live, STUBBORN } from "./crowd.ts";
import type { Disk } from "./disk.ts";
import { flood } from "./flood.ts";
import { type Killing, killOnce, type Moment } from "./killing.ts";
import { type Random, randomOf } from "./random.ts";
import { createVictim, type Victim } from "./victim.ts";

export interface ChaosOptions {
  engine: Engine;
  /** At most. */
  kills: number;
  seed: number;
  /** No kill begins later. Milliseconds. */
  budgetMs: number;
  /** Malformed requests, after the kills and while the crowd goes on. */
  malformed?: number;
  /** What the database is on, to be filled up now and then. */
  disk?: Pick<Disk, "fill">;
  /** The platform's clock jumps now and then. */
  jumps?: boolean;
  /** An empty folder, or one that holds an embedded database in `database`. */
  dataDir: string;
  /** With its database of this name; for engine postgres. */
  postgres?: { server: PostgresServer; database: string };
  /** Moves the clock of the tasks that a killed process had in hand, instead of waiting 10 s for them. */
  hurry?: boolean;
  providers?: number;
  onKill?: (moment: Moment, count: number) => void;
}

export interface ChaosReport {
  /** By moment. */
  kills: Map<Moment, number>;
  /** What the crowd did, by name, in all. */
  done: Map<string, number>;
  /** Webhooks that were acknowledged, repetitions included. */
  acknowledged: number;
  /** The malformed requests, by what they were answered with. */
  answers: Map<string, number>;
  /** Of the platform while they came, in twenty readings. Megabytes. */
  memory: number[];
  findings: Finding[];
}

const PEOPLE = 8;
const CALM_MS = 90_000;
/** To optimise the embedded database's code takes longer than a short run has use of it. */
const QUICK = ["--liftoff-only"];
const log = pino({ level: "silent" });

/** Kills the platform again and again under a crowd, lets everything come to rest, and compares both sides. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { dataDir, postgres, seed } = options;
  const place = {
    ...(postgres && { url: `${postgres.server.url}/${postgres.database}` }),
    ...(!postgres && { dataDir: join(dataDir, "database") }),
  };
  const [port, token] = [await freePort(), randomBytes(24).toString("base64url")];
  const url = `http://127.0.0.1:${port}`;
  const victim = createVictim(envOf(options, port, token, place.url), options.hurry ? QUICK : []);
  const call = armed();
  await victim.start();
  const crowds: Crowd[] = [];
  try {
    for (let index = 0; index < (options.providers ?? 2); index += 1) {
      crowds.push(await settleIn(url, token, call.rewrite));
    }
    const { kills, flooded, memory } = await torment(options, {
      ...{ victim, url, token, crowds, inCall: call.inCall, place },
    });
    await rest(victim, crowds);
    await victim.stop();
    const findings = [
      ...(await check(place, crowds, log)),
      ...deathsOf(victim),
      ...flooded.failures.map((what) => ({ kind: "5xx", what }) as const),
      ...growthOf(memory),
    ];
    return { kills, findings, memory, answers: flooded.answers, ...whatHappened(crowds) };
  } catch (error) {
    throw new Error(`chaos with seed ${seed} could not run to its end`, { cause: error });
  } finally {
    await victim.kill();
    await Promise.all(crowds.map(({ organisation }) => organisation.close()));
  }
}

function envOf({ dataDir }: ChaosOptions, port: number, token: string, url: string | undefined) {
  const { DATABASE_URL: _, ...env } = process.env;
  return {
    ...env,
    ...(url && { DATABASE_URL: url }),
    ALLOW_INSECURE_PROVIDERS: "1",
    LOG_LEVEL: "fatal",
    OPERATIONS_TOKEN: token,
    PORT: String(port),
    PROVIDER_RATE_LIMIT: "0",
    SECRET_KEY: randomBytes(32).toString("base64"),
    SHIFTPACT_DATA: dataDir,
    WEBHOOK_RATE_LIMIT: "0",
  };
}

/** Lets somebody step in between what a provider does and what it answers. */
function armed() {
  let waiting: { calls: number; then: () => void } | undefined;
  return {
    inCall: (calls: number, then: () => void) => {
      waiting = { calls, then };
      return () => {
        waiting = undefined;
      };
    },
    rewrite: (body: unknown) => {
      if (waiting) waiting.calls -= 1;
      if (waiting?.calls === 0) {
        waiting.then();
        waiting = undefined;
      }
      return body;
    },
  };
}

async function settleIn(url: string, token: string, rewrite: (body: unknown) => unknown): Promise<Crowd> {
  const headers = { Authorization: `Bearer ${token}` };
  const operations = createClient({ baseUrl: `${url}/operations/v1`, headers });
  const platform = { url, idle: async () => undefined };
  const organisation = await onboard(
    { platform, operations },
    {
      rewrite,
      dialect: { assignEchoes: true },
      webhooks: { schedule: STUBBORN, timeoutMs: 2_000 },
    },
  );
  return gather(organisation);
}

interface Scene {
  victim: Victim;
  url: string;
  token: string;
  crowds: readonly Crowd[];
  inCall: Killing["inCall"];
  place: { url?: string };
}

async function torment(options: ChaosOptions, scene: Scene) {
  const { url, crowds } = scene;
  const random = randomOf(options.seed);
  const over = new AbortController();
  // Killed before they are there, nobody could do anything.
  const peopled = await Promise.all(crowds.map(populate));
  const lives = peopled.map(([crowd, people]) =>
    Promise.all([1, 2, 3].map(() => live(crowd, { url, people, random }, over.signal))),
  );
  const kills = await killAll(options, scene, random);
  const memory: number[] = [];
  const flooded = await pour(options, scene, random, () => memory.push(scene.victim.memory()));
  over.abort();
  await Promise.all(lives);
  return { kills, flooded, memory };
}

async function killAll(options: ChaosOptions, scene: Scene, random: Random): Promise<Map<Moment, number>> {
  const { victim, inCall, place } = scene;
  const { disk, jumps = false, onKill, postgres } = options;
  const kills = new Map<Moment, number>();
  const until = performance.now() + options.budgetMs;
  const killing = {
    ...{ victim, random, inCall, postgres: postgres?.server, disk, jumps },
    ...(options.hurry && place.url && { whileDown: () => passTime(place.url ?? "") }),
  };
  for (let count = 1; count <= options.kills && performance.now() < until; count += 1) {
    const moment = await killOnce(killing);
    kills.set(moment, (kills.get(moment) ?? 0) + 1);
    onKill?.(moment, count);
  }
  return kills;
}

/** Malformed requests in the name of one of the providers. */
function pour({ malformed = 0 }: ChaosOptions, scene: Scene, random: Random, onPart: () => void) {
  const { url, token: operationsToken, crowds } = scene;
  const { providerId = "", platformToken = "" } = crowds[0]?.organisation ?? {};
  return flood({ url, count: malformed, random, providerId, platformToken, operationsToken, onPart });
}

const MUCH_MEGABYTES = 150;

/** Of the second half, when everything has been compiled and every pool is full. */
function growthOf(memory: readonly number[]): Finding[] {
  const later = memory.slice(Math.floor(memory.length / 2));
  const grown = Math.round((later.at(-1) ?? 0) - (later[0] ?? 0));
  if (grown < MUCH_MEGABYTES) return [];
  return [{ kind: "growing", what: `${grown} MB more within the second half of the malformed requests` }];
}

async function populate(crowd: Crowd): Promise<[Crowd, Person[]]> {
  return [crowd, await Promise.all(Array.from({ length: PEOPLE }, () => crowd.organisation.addPerson()))];
}

/** What a dead process had in hand comes back when its heartbeat is over: as if that time had passed. */
async function passTime(url: string): Promise<void> {
  const database = await openDatabase({ url, log });
  await database.raw.executeSql(
    "update pgboss.job set heartbeat_on = heartbeat_on - interval '1 minute' where state = 'active'",
  );
  await database.close();
}

/** Until every webhook is delivered and nothing waits; what still waits after a minute and a half is found by the check. */
async function rest(victim: Victim, crowds: readonly Crowd[]): Promise<void> {
  for (const { organisation } of crowds) organisation.provider.clearFaults();
  const until = performance.now() + CALM_MS;
  let before = -1;
  for (let sent = 0; before < sent && performance.now() < until; ) {
    before = sent;
    for (const { organisation, underWay } of crowds) {
      await Promise.all(underWay);
      await organisation.provider.settled();
    }
    await victim.idle(until - performance.now());
    sent = crowds.reduce((sum, { organisation }) => sum + organisation.provider.deliveries.length, 0);
  }
}

const deathsOf = ({ deaths }: Victim): Finding[] =>
  deaths.map((death) => ({ kind: "lost", what: `the platform ended by itself: ${death}` }));

function whatHappened(crowds: readonly Crowd[]): Pick<ChaosReport, "done" | "acknowledged"> {
  const done = new Map<string, number>();
  for (const { said } of crowds) {
    for (const [what, count] of said.done) done.set(what, (done.get(what) ?? 0) + count);
  }
  const acknowledged = crowds.reduce((sum, { organisation, said }) => {
    const delivered = organisation.provider.deliveries.filter(({ delivery }) => delivery?.delivered);
    return sum + delivered.length + said.events.length;
  }, 0);
  return { done, acknowledged };
}
