import { sql } from "kysely";
import { pino } from "pino";
import { type Database, openDatabase } from "../../src/platform/db/database.ts";
import type { Person } from "../../test/harness/organisation.ts";
import { type Random, randomOf } from "../../test/harness/random.ts";
import { type FaultKind, type Injection, injectFault, withinTime } from "./faults.ts";
import { addressOf, type Load, runLoad } from "./load.ts";
import type { FaultyMailServer } from "./mail.ts";
import { sendMalformed } from "./malformed.ts";
import type { ChaosOptions } from "./options.ts";
import { untilReady } from "./processes.ts";
import type { Target } from "./target.ts";

const PEOPLE = 8;
/** SQLSTATE. */
const DEADLOCK = "40P01";
const log = pino({ level: "silent" });

export interface Setup {
  targets: readonly Target[];
  urls: readonly string[];
  token: string;
  loads: readonly Load[];
  inCall: Injection["inCall"];
  place: { url?: string; dataDir?: string };
  mailServer: FaultyMailServer;
}

/** Runs the load under faults, and then under malformed requests. */
export async function runUnderFaults(options: ChaosOptions, setup: Setup) {
  const { urls, loads, targets, mailServer } = setup;
  const random = randomOf(options.seed);
  const over = new AbortController();
  // Before the first fault: the load needs its people.
  const peopled = await Promise.all(loads.map(populate));
  const running = peopled.map(([load, people]) =>
    Promise.all([1, 2, 3].map(() => runLoad(load, { urls, people, random }, over.signal))),
  );
  // A separate generator keeps the faults of a seed the same.
  const mailFaults = mailServer.failAtRandom(randomOf(options.seed + 1), over.signal);
  const memory: number[] = [];
  try {
    const injected = await injectFaults(options, setup, random);
    const malformedReport = await sendMalformedRequests(options, setup, random, () =>
      memory.push(targets[0]?.memory() ?? 0),
    );
    return { ...injected, malformedReport, memory };
  } finally {
    over.abort();
    await Promise.all([...running, mailFaults]);
  }
}

async function injectFaults(options: ChaosOptions, setup: Setup, random: Random) {
  const { targets, loads, inCall, place, urls } = setup;
  const { disk, clockJumps = false, onFault, useWholeBudget = false } = options;
  const faults = new Map<FaultKind, number>();
  const failovers: number[] = [];
  const kills = () => targets.reduce((sum, target) => sum + target.kills, 0);
  const until = performance.now() + options.budgetMs;
  const { pair, ...server } = serverOf(options);
  const isEnough = () => kills() >= options.kills && (!pair || failovers.length >= options.kills);
  const injection = {
    targets,
    random,
    inCall,
    ...server,
    pair,
    disk,
    clockJumps,
    ready: () => untilReady(urls),
    mark: (is: "begun" | "over") => {
      for (const load of loads) mark(load, is);
    },
    ...(options.fast && place.url && { whileDown: () => endLeases(place.url ?? "") }),
  };
  while ((useWholeBudget || !isEnough()) && performance.now() < until) {
    const { fault, tookMs } = await injectFault(injection);
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
    if (fault.startsWith("a failover")) failovers.push(tookMs);
    onFault?.(fault, kills());
  }
  // A malformed request must not meet the last failover.
  await pair?.standby();
  await untilReady(urls);
  // Without faults, the missing bookings need no longer than the faults took.
  await withinTime(Promise.all(loads.map(({ enough }) => enough.promise)), options.budgetMs);
  return { faults, failovers, kills: kills() };
}

function serverOf({ postgres }: ChaosOptions): Pick<Injection, "postgres" | "pair"> {
  if (!postgres) return {};
  const { server } = postgres;
  if ("failOver" in server) return { pair: server };
  return "crash" in server ? { postgres: server } : {};
}

/** Records the start or the end of a fault, each once. */
function mark({ organisation, record }: Load, is: "begun" | "over"): void {
  const isUnderWay = record.faults.length % 2 === 1;
  if (isUnderWay === (is === "over")) record.faults.push(organisation.calls.length);
}

/** Sends malformed requests in the name of one provider. */
function sendMalformedRequests(
  { malformed = 0 }: ChaosOptions,
  setup: Setup,
  random: Random,
  onPart: () => void,
) {
  const { urls, token: operationsToken, loads } = setup;
  const [url = ""] = urls;
  const { providerId = "", platformToken = "" } = loads[0]?.organisation ?? {};
  return sendMalformed({ url, count: malformed, random, providerId, platformToken, operationsToken, onPart });
}

async function populate(load: Load): Promise<[Load, Person[]]> {
  return [
    load,
    await Promise.all(
      Array.from({ length: PEOPLE }, () => load.organisation.addPerson({ email: addressOf(load) })),
    ),
  ];
}

/** Ends the leases of a killed process, as if their time had passed. */
async function endLeases(url: string): Promise<void> {
  const database = await openDatabase({ url, log });
  await makeDue(database).finally(database.close);
}

/** Retries after a deadlock: the running processes lock rows in another order. */
async function makeDue({ kysely }: Pick<Database, "kysely">): Promise<void> {
  try {
    await sql`update work set due_at = now() where claim is not null`.execute(kysely);
  } catch (error) {
    if ((error as { code?: unknown }).code !== DEADLOCK) throw error;
    await makeDue({ kysely });
  }
}
