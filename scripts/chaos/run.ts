import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import { pino } from "pino";
import { type Database, type Engine, openDatabase } from "../../src/platform/db/database.ts";
import { LEASE_MS } from "../../src/platform/work/claims.ts";
import type { Person } from "../../test/harness/organisation.ts";
import { freePort, type PostgresServer } from "../embedded-postgres.ts";
import { type Checked, check, type Finding } from "./check.ts";
import type { Disk } from "./disk.ts";
import { type Injection, injectFault, type Moment } from "./faults.ts";
import { flood } from "./flood.ts";
import { inTime } from "./in-time.ts";
import { addressOf, type Load, live } from "./load.ts";
import { type Post, startPost } from "./mail.ts";
import type { Pair } from "./pair.ts";
import { type Random, randomOf } from "./random.ts";
import { createGate, settleIn } from "./settle-in.ts";
import { createTarget, type Target } from "./target.ts";
import { RECONCILE_MS } from "./timing.ts";

export interface ChaosOptions {
  engine: Engine;
  /** SIGKILLs of the platform, and failovers of a pair, at least: fewer are a finding. */
  kills: number;
  seed: number;
  /** No fault begins later. Milliseconds. */
  budgetMs: number;
  /** The faults go on until the budget is spent. */
  goOn?: boolean;
  /** Malformed requests, after the faults and while the load goes on. */
  malformed?: number;
  /** What the database is on, to be filled up now and then. */
  disk?: Pick<Disk, "fill">;
  /** The platform's clock jumps now and then. */
  jumps?: boolean;
  /** An empty folder, or one that holds an embedded database in `database`. */
  dataDir: string;
  /** With its database of this name; for engine postgres. Two processes of the platform share it. */
  postgres?: { server: PostgresServer | Pair; database: string };
  /** Ends the leases of a killed process at once, instead of after 15 s. */
  hurry?: boolean;
  providers?: number;
  /** Runs the platform, in place of `platform-child.ts`. */
  entry?: string;
  /** `kills`: SIGKILLs so far. */
  onBlow?: (moment: Moment, kills: number) => void;
}

export interface ChaosReport extends Checked {
  faults: Map<Moment, number>;
  /** From the failure of each primary until every process of the platform was ready again. Milliseconds. */
  failovers: number[];
  /** SIGKILLs of the platform. */
  kills: number;
  /** What the load did, by name, in all. */
  done: Map<string, number>;
  /** Webhooks that were acknowledged, repetitions included. */
  acknowledged: number;
  /** Mails that the mail server accepted, repetitions included. */
  mails: number;
  /** How often the mail server failed, by the way in which it did. */
  mailOutages: Map<string, number>;
  /** The malformed requests, by what they were answered with. */
  answers: Map<string, number>;
  /** Of the platform while they came, in twenty readings. Megabytes. */
  memory: number[];
}

const PEOPLE = 8;
const CALM_MS = 90_000;
const RECOVERY_MS = 150_000;
/** Until each shift was read, once the claims of a killed process have ended. */
const ALL_READ_MS = 1.2 * RECONCILE_MS;
/** To optimise the embedded database's code takes longer than a short run has use of it. */
const QUICK = ["--liftoff-only"];
/** SQLSTATE. */
const DEADLOCK = "40P01";
const log = pino({ level: "silent" });

/** Kills the platform again and again under a load, lets everything come to rest, and compares both sides. */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { dataDir, postgres, seed } = options;
  const place = {
    ...(postgres && { url: `${postgres.server.url}/${postgres.database}` }),
    ...(!postgres && { dataDir: join(dataDir, "database") }),
  };
  const token = randomBytes(24).toString("base64url");
  const gate = createGate();
  const loads: Load[] = [];
  const post = await startPost(() => loads[0]?.said.faults.length ?? 0);
  const { targets, urls } = await createTargets(options, { token, smtpUrl: post.url, url: place.url });
  try {
    for (const target of targets) await target.start();
    for (let index = 0; index < (options.providers ?? 2); index += 1) {
      loads.push(await settleIn(urls[index % urls.length] ?? "", token, gate));
    }
    const setup = { targets, urls, token, loads, inCall: gate.inCall, place, post };
    const { flooded, memory, ...injected } = await torment(options, setup);
    await rest(targets, loads, options);
    await Promise.all(targets.map((target) => target.stop()));
    const checked = await check(place, loads, post.accepted, log);
    const findings = [
      ...checked.findings,
      ...deathsOf(targets),
      ...flooded.failures.map((what) => ({ kind: "5xx", what }) as const),
      ...growthOf(memory),
      ...fewerThan(options.kills, injected.kills, "SIGKILLs"),
      ...(serverOf(options).pair ? fewerThan(options.kills, injected.failovers.length, "failovers") : []),
      ...(post.outages.size === 0
        ? [{ kind: "too few", what: "the mail server had no outage" } as const]
        : []),
    ];
    const mail = { mails: post.accepted.length, mailOutages: post.outages };
    const happened = { ...whatHappened(loads), ...mail };
    return { ...checked, ...injected, findings, memory, answers: flooded.answers, ...happened };
  } catch (error) {
    throw new Error(`chaos with seed ${seed} could not run to its end`, { cause: error });
  } finally {
    await Promise.all(targets.map((target) => target.kill()));
    await Promise.all(loads.map(({ organisation }) => organisation.close()));
    await post.close();
  }
}

interface Env {
  token: string;
  smtpUrl: string;
  /** Of the database, unless it is embedded. */
  url: string | undefined;
}

/** Two where they can share a database. */
async function createTargets(options: ChaosOptions, given: Env) {
  const { hurry, entry } = options;
  const ports = [await freePort(), ...(given.url ? [await freePort()] : [])];
  const env = envOf(options, given);
  const started = { flags: hurry ? QUICK : [], ...(entry && { entry }) };
  return {
    targets: ports.map((port) => createTarget({ ...env, PORT: String(port) }, started)),
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
  };
}

function envOf({ dataDir }: ChaosOptions, { token, smtpUrl, url }: Env) {
  const { DATABASE_URL: _, ...env } = process.env;
  return {
    ...env,
    ...(url && { DATABASE_URL: url }),
    ALLOW_INSECURE_PROVIDERS: "1",
    LOG_LEVEL: "fatal",
    OPERATIONS_TOKEN: token,
    PROVIDER_RATE_LIMIT: "0",
    SECRET_KEY: randomBytes(32).toString("base64"),
    SHIFTPACT_DATA: dataDir,
    SMTP_FROM: "shifts@platform.example",
    SMTP_URL: smtpUrl,
    WEBHOOK_RATE_LIMIT: "0",
  };
}

interface Setup {
  targets: readonly Target[];
  urls: readonly string[];
  token: string;
  loads: readonly Load[];
  inCall: Injection["inCall"];
  place: { url?: string };
  post: Post;
}

async function torment(options: ChaosOptions, setup: Setup) {
  const { urls, loads, targets, post } = setup;
  const random = randomOf(options.seed);
  const over = new AbortController();
  // Killed before they are there, nobody could do anything.
  const peopled = await Promise.all(loads.map(populate));
  const lives = peopled.map(([load, people]) =>
    Promise.all([1, 2, 3].map(() => live(load, { urls, people, random }, over.signal))),
  );
  // Choices of its own, so that the faults of a seed stay the same.
  const suffering = post.suffer(randomOf(options.seed + 1), over.signal);
  const injected = await injectFaults(options, setup, random);
  const memory: number[] = [];
  const flooded = await pour(options, setup, random, () => memory.push(targets[0]?.memory() ?? 0));
  over.abort();
  await Promise.all([...lives, suffering]);
  return { ...injected, flooded, memory };
}

async function injectFaults(options: ChaosOptions, setup: Setup, random: Random) {
  const { targets, loads, inCall, place, urls } = setup;
  const { disk, jumps = false, onBlow, goOn = false } = options;
  const faults = new Map<Moment, number>();
  const failovers: number[] = [];
  const kills = () => targets.reduce((sum, target) => sum + target.kills, 0);
  const until = performance.now() + options.budgetMs;
  const { pair, ...server } = serverOf(options);
  const isEnough = () => kills() >= options.kills && (!pair || failovers.length >= options.kills);
  const injection = {
    ...{ targets, random, inCall, ...server, pair, disk, jumps },
    ready: () => untilReady(urls),
    mark: (is: "begun" | "over") => {
      for (const load of loads) mark(load, is);
    },
    ...(options.hurry && place.url && { whileDown: () => passTime(place.url ?? "") }),
  };
  while ((goOn || !isEnough()) && performance.now() < until) {
    const { moment, tookMs } = await injectFault(injection);
    faults.set(moment, (faults.get(moment) ?? 0) + 1);
    if (moment.startsWith("a failover")) failovers.push(tookMs);
    onBlow?.(moment, kills());
  }
  // Undisturbed, what the faults did not let happen needs no longer than they took.
  await inTime(Promise.all(loads.map(({ enough }) => enough.promise)), options.budgetMs);
  return { faults, failovers, kills: kills() };
}

function serverOf({ postgres }: ChaosOptions): Pick<Injection, "postgres" | "pair"> {
  if (!postgres) return {};
  return "failOver" in postgres.server ? { pair: postgres.server } : { postgres: postgres.server };
}

async function untilReady(urls: readonly string[]): Promise<void> {
  const until = performance.now() + CALM_MS;
  for (const url of urls) {
    while (!(await isReady(url))) {
      if (performance.now() > until) throw new Error(`the platform at ${url} is not ready after a failover`);
      await sleep(20);
    }
  }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );

/** What has begun, or is over, does not begin or end once more. */
function mark({ organisation, said }: Load, is: "begun" | "over"): void {
  const isUnderWay = said.faults.length % 2 === 1;
  if (isUnderWay === (is === "over")) said.faults.push(organisation.calls.length);
}

/** Malformed requests in the name of one of the providers. */
function pour({ malformed = 0 }: ChaosOptions, setup: Setup, random: Random, onPart: () => void) {
  const { urls, token: operationsToken, loads } = setup;
  const [url = ""] = urls;
  const { providerId = "", platformToken = "" } = loads[0]?.organisation ?? {};
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

async function populate(load: Load): Promise<[Load, Person[]]> {
  return [
    load,
    await Promise.all(
      Array.from({ length: PEOPLE }, () => load.organisation.addPerson({ email: addressOf(load) })),
    ),
  ];
}

/** What a dead process had in hand is due again when its lease has ended: as if that time had passed. */
async function passTime(url: string): Promise<void> {
  const database = await openDatabase({ url, log });
  await makeDue(database).finally(database.close);
}

/** Locks rows in another order than the processes that live, which may end in a deadlock: then once more. */
async function makeDue({ kysely }: Pick<Database, "kysely">): Promise<void> {
  try {
    await sql`update work set due_at = now() where claim is not null`.execute(kysely);
  } catch (error) {
    if ((error as { code?: unknown }).code !== DEADLOCK) throw error;
    await makeDue({ kysely });
  }
}

/**
 * Ends the faults, and waits until every webhook is delivered, every shift was read once more, and nothing is due. What is still due after a
 * minute and a half is found by the check.
 */
async function rest(
  targets: readonly Target[],
  loads: readonly Load[],
  { hurry }: ChaosOptions,
): Promise<void> {
  for (const { organisation } of loads) organisation.provider.clearFaults();
  const until = performance.now() + CALM_MS;
  await sleep(ALL_READ_MS + (hurry ? 0 : LEASE_MS));
  let before = -1;
  for (let sent = 0; before < sent && performance.now() < until; ) {
    before = sent;
    for (const { organisation, underWay } of loads) {
      await Promise.all(underWay);
      await organisation.provider.settled();
    }
    await Promise.all(targets.map((target) => target.idle(until - performance.now())));
    sent = loads.reduce((sum, { organisation }) => sum + organisation.provider.deliveries.length, 0);
  }
  await Promise.all(loads.map(isReachable));
}

/** A provider that one process found down is shown as down for two minutes after its last attempt, whatever another process finds. */
async function isReachable({ organisation }: Load): Promise<void> {
  const until = performance.now() + RECOVERY_MS;
  while (performance.now() < until && (await organisation.issueCodes()).includes("provider_down"))
    await sleep(500);
}

const deathsOf = (targets: readonly Target[]): Finding[] =>
  targets.flatMap(({ deaths }) =>
    deaths.map((death) => ({ kind: "lost", what: `the platform ended by itself: ${death}` }) as const),
  );

const fewerThan = (asked: number, count: number, whats: string): Finding[] =>
  count < asked ? [{ kind: "too few", what: `${count} ${whats} in the time given, of ${asked}` }] : [];

function whatHappened(loads: readonly Load[]): Pick<ChaosReport, "done" | "acknowledged"> {
  const done = new Map<string, number>();
  for (const { said } of loads) {
    for (const [what, count] of said.done) done.set(what, (done.get(what) ?? 0) + count);
  }
  const acknowledged = loads.reduce((sum, { organisation, said }) => {
    const delivered = organisation.provider.deliveries.filter(({ delivery }) => delivery?.delivered);
    return sum + delivered.length + said.events.length;
  }, 0);
  return { done, acknowledged };
}
