import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, expect, it } from "vitest";
import { createClient } from "../../generated/operations/client.ts";
import { copyDatabase } from "../engines.ts";
import { type Organisation, onboard } from "../harness/organisation.ts";
import { endProcesses, type PlatformProcess, startProcess } from "../harness/process.ts";
import { checkOutBefore } from "./release-before.ts";

/** Of each phase: to both, to the new one alone, and so on. */
const EVENTS = 150;
const BETWEEN_MS = 5;
const TOKEN = "operations-token-of-both";

interface Side {
  url: string;
  process: PlatformProcess;
}

interface Sent {
  traceId: string;
  shiftId: string;
  status: number;
}

const undo: (() => unknown)[] = [];
afterEach(async () => {
  await endProcesses();
  for (const each of undo.splice(0).reverse()) await each();
});

it("the version before runs beside this one, and again after it, under load", {
  timeout: 300_000,
}, async () => {
  const before = await checkOutBefore();
  const { where, remove } = await copyDatabase({ empty: true });
  undo.push(before.remove, remove);
  const env = {
    ...process.env,
    ...{
      ALLOW_INSECURE_PROVIDERS: "1",
      DATABASE_URL: where.url,
      LOG_LEVEL: "error",
      OPERATIONS_TOKEN: TOKEN,
    },
    ...{ SECRET_KEY: randomBytes(32).toString("base64"), DRAIN_SECONDS: "0" },
    ...{ PROVIDER_RATE_LIMIT: "0", WEBHOOK_RATE_LIMIT: "0" },
  };
  const start = async (command?: string): Promise<Side> => {
    const process = startProcess({ env }, 0, "", command);
    return { process, url: `http://127.0.0.1:${await process.port}` };
  };
  const stop = async ({ process }: Side) => {
    process.child.kill("SIGTERM");
    expect(await process.ended).toMatchObject({ code: 0 });
  };

  const old = await start(before.command);
  const organisation = await enlist(old);
  const sent: Sent[] = [];
  const load = async (...sides: Side[]) => void sent.push(...(await sendEvents(organisation, sides)));
  const database = new pg.Client({ connectionString: where.url });
  await database.connect();
  undo.push(() => database.end());

  await load(old);
  const [current] = await Promise.all([start(), load(old)]);
  await load(old, current);
  // The one that ends has no webhook under way, as behind a load balancer; the other is under load.
  await Promise.all([stop(old), load(current)]);
  const [back] = await Promise.all([start(before.command), load(current)]);
  await load(back, current);
  await Promise.all([stop(current), load(back)]);

  expect(sent.filter(({ status }) => status !== 200)).toEqual([]);
  await untilProcessed(database, sent.length);
  const { rows: stored } = await database.query("select trace_id from shiftpact.events");
  const traceIds = new Set(stored.map(({ trace_id }) => trace_id));
  expect(traceIds).toEqual(new Set(sent.map(({ traceId }) => traceId)));
  const { rows: jobs } = await database.query("select shift_id, status from shiftpact.jobs");
  expect(new Map(jobs.map((job) => [job.shift_id, job.status]))).toEqual(
    new Map(sent.map(({ shiftId }) => [shiftId, "open"])),
  );
  await stop(back);
});

async function enlist({ url }: Side): Promise<Organisation> {
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const operations = createClient({ baseUrl: `${url}/operations/v1`, headers });
  const idle = () => Promise.reject(new Error("a process does not say when it is idle"));
  const platform = { url, idle };
  const organisation = await onboard({ platform, operations }, { connect: false, activate: false });
  undo.push(organisation.close);
  await organisation.activate();
  return organisation;
}

/** One shift for each event, to the sides in turn. */
async function sendEvents(organisation: Organisation, sides: readonly Side[]): Promise<Sent[]> {
  const { provider, providerId, platformToken } = organisation;
  const sending: Promise<Sent>[] = [];
  for (let nth = 0; nth < EVENTS; nth += 1) {
    const [{ shiftId }, traceId] = [provider.createShift(), randomUUID()];
    const body = JSON.stringify({ event: "shift.create", providerId, content: { shiftId }, traceId });
    const headers = { Authorization: `Bearer ${platformToken}`, "Content-Type": "application/json" };
    const url = `${sides[nth % sides.length]?.url}/webhooks/scheduling-provider`;
    const answer = fetch(url, { method: "POST", headers, body });
    sending.push(answer.then(({ status }) => ({ traceId, shiftId, status })));
    await sleep(BETWEEN_MS);
  }
  return Promise.all(sending);
}

async function untilProcessed(database: pg.Client, count: number): Promise<void> {
  const states = "select status, count(*)::int as count from shiftpact.events group by status";
  await expect
    .poll(async () => (await database.query(states)).rows)
    .toEqual([{ status: "processed", count }]);
}
