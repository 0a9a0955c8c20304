import { randomBytes, randomUUID } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../../generated/operations/client.ts";
import type { Job, Notification } from "../../generated/operations/types.ts";
import { createWebhookClient } from "../../src/clients/webhook-client.ts";
import { copyDatabase } from "../engines.ts";
import { type Operations, ok } from "../harness/operations.ts";
import { type Organisation, onboard, type Person } from "../harness/organisation.ts";
import { endProcesses, type PlatformProcess, startProcess } from "../harness/process.ts";

const ORGANISATIONS = 4;
const SHIFTS = 500;
const EVENTS = ORGANISATIONS * SHIFTS;
/** The number of events that are sent a second time, to the other process. */
const REPEATED = 200;
const AT_ONCE = 32;
const RACES = 10;
const DAY_MS = 24 * 3_600_000;
const LIMIT = 200;
/** The limit on a busy machine. Milliseconds. */
const PATIENCE_MS = 120_000;

interface Side {
  process: PlatformProcess;
  url: string;
  operations: Operations;
}

interface SeededOrganisation extends Organisation {
  people: readonly [Person, Person];
  shiftIds: readonly string[];
}

afterEach(endProcesses);

describe("two platform processes on one PostgreSQL", () => {
  it("start at the same time on an empty database, share 2,000 events, and do nothing twice", {
    timeout: 2 * PATIENCE_MS,
  }, async () => {
    const database = await copyDatabase({ empty: true });
    const sides = await startTwo(database.where.url);
    const crews = await Promise.all(Array.from({ length: ORGANISATIONS }, () => enlist(sides[0])));
    try {
      await sendAll(sides, crews);
      await untilProcessed(sides[0]);
      await isShared(sides);
      for (const crew of crews) await hasOneJobEach(sides, crew);
      await Promise.all(crews.map((crew) => race(sides, crew)));
      await cancelAcross(sides, crews);
      await untilProcessed(sides[1]);
      for (const crew of crews) await isDoneOnce(sides[1], crew);
      await end(sides);
    } finally {
      await endProcesses();
      await Promise.all(crews.map((crew) => crew.close()));
      await database.remove();
    }
  });
});

async function startTwo(url: string): Promise<[Side, Side]> {
  const token = "operations-token-of-both";
  const env = {
    ...process.env,
    ALLOW_INSECURE_PROVIDERS: "1",
    DATABASE_URL: url,
    LOG_LEVEL: "error",
    OPERATIONS_TOKEN: token,
    PROVIDER_RATE_LIMIT: "0",
    SECRET_KEY: randomBytes(32).toString("base64"),
    WEBHOOK_RATE_LIMIT: "0",
  };
  const start = async (): Promise<Side> => {
    const process = startProcess({ env });
    const url = `http://127.0.0.1:${await process.port}`;
    const headers = { Authorization: `Bearer ${token}` };
    return { process, url, operations: createClient({ baseUrl: `${url}/operations/v1`, headers }) };
  };
  return Promise.all([start(), start()]);
}

/** Creates an organisation with two candidates and a shift on each of many days. The test sends its events. */
async function enlist({ url, operations }: Side): Promise<SeededOrganisation> {
  const platform = {
    url,
    idle: () => Promise.reject(new Error("a process does not report when it is idle")),
  };
  const organisation = await onboard({ platform, operations }, { connect: false, activate: false });
  await organisation.activate();
  const people = [await organisation.addPerson(), await organisation.addPerson()] as const;
  const first = Math.ceil(Date.now() / DAY_MS + 1) * DAY_MS;
  const shiftIds = Array.from({ length: SHIFTS }, (_, day) => {
    const [startTime, endTime] = [first + day * DAY_MS, first + (day + 0.25) * DAY_MS].map((ms) =>
      new Date(ms).toISOString(),
    );
    return organisation.provider.createShift({ startTime: startTime ?? "", endTime: endTime ?? "" }).shiftId;
  });
  return { ...organisation, people, shiftIds };
}

type Event = "shift.create" | "shift.delete";

function sender({ url }: Side, { providerId, platformToken }: Organisation) {
  const client = createWebhookClient({
    platformUrl: url,
    token: platformToken,
    schedule: [0],
    timeoutMs: PATIENCE_MS,
  });
  return async (event: Event, shiftId: string, traceId: string) => {
    const sent = await client.send({ event, providerId, content: { shiftId }, traceId });
    expect(sent).toEqual({ delivered: true, tries: 1 });
  };
}

/** Sends the events to the processes in turn. */
async function sendAll(sides: readonly [Side, Side], crews: readonly SeededOrganisation[]): Promise<void> {
  const sends = Array.from({ length: SHIFTS }, (_, nth) =>
    crews.flatMap((crew, index) => {
      const shiftId = crew.shiftIds[nth] ?? "";
      const traceId = randomUUID();
      const [one, other] = (nth + index) % 2 === 0 ? sides : [sides[1], sides[0]];
      const isRepeated = nth < REPEATED / ORGANISATIONS;
      return (isRepeated ? [one, other] : [one]).map(
        (side) => () => sender(side, crew)("shift.create", shiftId, traceId),
      );
    }),
  ).flat();
  expect(sends).toHaveLength(EVENTS + REPEATED);
  await eachOf(sends, AT_ONCE);
}

async function eachOf(doings: readonly (() => Promise<void>)[], atOnce: number): Promise<void> {
  const left = doings.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const doing of left) await doing();
    }),
  );
}

async function untilProcessed({ operations }: Side): Promise<void> {
  const isNoneQueued = async () => {
    const query = { status: "queued", limit: 1 } as const;
    return ok(await operations.listEvents({ params: { query } })).items.length === 0;
  };
  await vi.waitUntil(isNoneQueued, { timeout: PATIENCE_MS, interval: 100 });
}

/** Checks each process's provider calls: one GET for each event, because every event has its own shift. */
async function isShared(sides: readonly Side[]): Promise<void> {
  const asked = await Promise.all(sides.map((side) => callsOf(side, "getShift")));
  // How they share depends on what else the machine runs: a half alone, and once less than a quarter beside other tests.
  expect(asked[0]).toBeGreaterThanOrEqual(EVENTS / 10);
  expect(asked[1]).toBeGreaterThanOrEqual(EVENTS / 10);
  // A process that was too slow to renew its lease may have its read repeated by the other; effects are counted below.
  expect((asked[0] ?? 0) + (asked[1] ?? 0)).toBeGreaterThanOrEqual(EVENTS);
  expect((asked[0] ?? 0) + (asked[1] ?? 0)).toBeLessThanOrEqual(EVENTS * 1.01);
}

async function callsOf({ url }: Side, operation: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const lines = text.split("\n").filter((line) => line.startsWith("shiftpact_provider_calls_total{"));
  return lines
    .filter((line) => line.includes(`operation="${operation}"`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" "))), 0);
}

async function hasOneJobEach(sides: readonly [Side, Side], crew: SeededOrganisation): Promise<void> {
  const jobs = await jobsOf(sides[1], crew);
  expect(jobs.map(({ shiftId }) => shiftId).sort()).toEqual([...crew.shiftIds].sort());
  expect(new Set(jobs.map(({ status }) => status))).toEqual(new Set(["open"]));
  for (const person of crew.people) {
    const sent = await notificationsOf(sides[0], person);
    expect(sent.map(({ jobId }) => jobId).sort()).toEqual(jobs.map(({ jobId }) => jobId).sort());
  }
}

const jobsOf = ({ operations }: Side, { providerId }: SeededOrganisation): Promise<Job[]> =>
  pages(async (cursor) =>
    ok(await operations.listJobs({ params: { query: { providerId, limit: LIMIT, ...cursor } } })),
  );

const notificationsOf = ({ operations }: Side, { candidateId }: Person): Promise<Notification[]> =>
  pages(async (cursor) =>
    ok(await operations.listNotifications({ params: { query: { candidateId, limit: LIMIT, ...cursor } } })),
  );

interface Page<T> {
  items: T[];
  nextCursor?: string;
}

async function pages<T>(read: (cursor: { cursor?: string }) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = [];
  let next: string | undefined;
  do {
    const page = await read(next === undefined ? {} : { cursor: next });
    items.push(...page.items);
    next = page.nextCursor;
  } while (next !== undefined);
  return items;
}

/** Two candidates accept the only position at the same time, each through another process. */
async function race(sides: readonly [Side, Side], crew: SeededOrganisation): Promise<void> {
  const jobs = await racedJobs(sides[0], crew);
  for (const { jobId } of jobs) {
    const answers = await Promise.all(
      crew.people.map(async ({ candidateId }, index) => {
        const { operations } = sides[index === 0 ? 0 : 1];
        const answer = await operations.acceptJob({ params: { path: { jobId } }, body: { candidateId } });
        return answer.error?.code ?? answer.data?.status;
      }),
    );
    expect(answers.sort()).toEqual(["confirmed", "job_filled"]);
  }
}

async function racedJobs(side: Side, crew: SeededOrganisation): Promise<Job[]> {
  const raced = new Set(crew.shiftIds.slice(0, RACES));
  return (await jobsOf(side, crew)).filter(({ shiftId }) => raced.has(shiftId));
}

/** Cancels on both at the same time; both receive the echo. */
async function cancelAcross(
  sides: readonly [Side, Side],
  crews: readonly SeededOrganisation[],
): Promise<void> {
  for (const crew of crews) {
    const [job] = await racedJobs(sides[0], crew);
    const { jobId = "", shiftId = "" } = job ?? {};
    for (const { operations } of sides) ok(await operations.cancelJob({ params: { path: { jobId } } }));
    await vi.waitUntil(async () => {
      const answer = await sides[1].operations.getJob({ params: { path: { jobId } } });
      return ok(answer).status === "cancelled";
    }, PATIENCE_MS);
    const traceId = randomUUID();
    await Promise.all(sides.map((side) => sender(side, crew)("shift.delete", shiftId, traceId)));
  }
}

async function isDoneOnce(side: Side, crew: SeededOrganisation): Promise<void> {
  const { provider, calls, people } = crew;
  const jobs = await racedJobs(side, crew);
  expect(jobs.map(({ status }) => status).sort()).toEqual([
    "cancelled",
    ...jobs.slice(1).map(() => "filled"),
  ]);
  expect(jobs.map(({ bookings }) => bookings.length)).toEqual(jobs.map(() => 1));
  for (const { shiftId } of jobs) expect(provider.shift(shiftId)?.assigned.size).toBe(1);
  const numbers = provider.candidates.map(({ personalNumber }) => personalNumber);
  expect(new Set(numbers).size).toBe(numbers.length);
  const asked = (method: string, path: RegExp) =>
    calls.filter((call) => call.method === method && path.test(call.path)).length;
  expect(asked("PUT", /\/assign\//)).toBe(RACES);
  expect(asked("DELETE", /^\/shifts\/[^/]+$/)).toBe(1);
  expect(asked("POST", /^\/candidates$/)).toBeLessThanOrEqual(people.length);
  const kinds = (await Promise.all(people.map((person) => notificationsOf(side, person)))).flat();
  const count = (kind: string) => kinds.filter((each) => each.kind === kind).length;
  expect([count("booking_confirmed"), count("shift_cancelled"), count("job_offered")]).toEqual([
    RACES,
    1,
    people.length * SHIFTS,
  ]);
}

async function end(sides: readonly Side[]): Promise<void> {
  for (const { process } of sides) process.child.kill("SIGTERM");
  for (const { process } of sides) expect(await process.ended).toEqual({ code: 0, signal: null, errors: [] });
}
