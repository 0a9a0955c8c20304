import { randomBytes, randomUUID } from "node:crypto";
import { chmodSync, cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { createClient } from "../../generated/operations/client.ts";
import { type Engine, openDatabase } from "../../src/platform/db/database.ts";
import {
  freePort,
  type PostgresServer,
  reopenPostgres,
  startPostgres,
} from "../../test/harness/embedded-postgres.ts";
import { ok } from "../../test/harness/operations.ts";
import { randomOf } from "../../test/harness/random.ts";
import { type Disk, makeDisk } from "./disk.ts";
import { createTarget, type Target } from "./target.ts";

export interface PowerCutOptions {
  engine: Engine;
  cuts: number;
  seed: number;
  /** The folder of the disks. */
  folder: string;
  /** A migrated embedded database to begin with, which saves seconds. */
  template?: string;
}

export interface PowerCutReport {
  /** Events that were acknowledged before the last cut. */
  acknowledged: number;
  /** For each cut, the number of acknowledged events that its disk lacks. */
  lost: number[];
}

/** The settings of a platform start. */
interface Start {
  dataDir: string;
  server: PostgresServer | undefined;
  token: string;
  secretKey: string;
}

const SENDERS = 8;
const log = pino({ level: "silent" });

/** Cuts the power at random moments while events are acknowledged, and searches for them on the remaining disk. */
export async function powerCuts(options: PowerCutOptions): Promise<PowerCutReport> {
  const { engine, cuts, seed, folder, template } = options;
  const disk = makeDisk(folder);
  let server: PostgresServer | undefined;
  let target: Target | undefined;
  const over = new AbortController();
  try {
    chmodSync(disk.folder, 0o755);
    if (engine === "postgres") server = await startPostgres({ databaseDir: join(disk.folder, "pg") });
    await server?.createDatabase("chaos");
    const dataDir = join(disk.folder, "platform");
    if (template && !server) cpSync(template, join(dataDir, "database"), { recursive: true });
    // Before the platform starts: what it does not sync may be lost.
    disk.sync();
    const start = { dataDir, server, token: secret("base64url"), secretKey: secret("base64") };
    const started = await begin(start);
    target = started.target;
    const acknowledged = new Acknowledged();
    const sending = Array.from({ length: SENDERS }, () => send(started, acknowledged, over.signal));
    await acknowledged.first;
    const random = randomOf(seed);
    const lost: number[] = [];
    for (let cut = 0; cut < cuts; cut += 1) {
      // The first cut comes immediately: that is the earliest moment for the kept secret.
      if (cut > 0) await sleep(random.between(200, 600));
      const left = await disk.cut(server ? server.pids() : [target.pid ?? 0]);
      lost.push(await missing(left, new Set(acknowledged.traceIds), start));
    }
    over.abort();
    await Promise.all(sending);
    return { acknowledged: acknowledged.traceIds.size, lost };
  } finally {
    over.abort();
    await target?.kill();
    await server?.stop();
    disk.remove();
  }
}

interface Started {
  target: Target;
  url: string;
  providerId: string;
  platformToken: string;
}

const secret = (encoding: "base64" | "base64url") => randomBytes(32).toString(encoding);

class Acknowledged {
  readonly traceIds = new Set<string>();
  readonly #first = Promise.withResolvers<void>();
  /** Resolves with the first acknowledged event. */
  readonly first = this.#first.promise;

  add(traceId: string): void {
    this.traceIds.add(traceId);
    this.#first.resolve();
  }
}

/** Starts the platform with a draft integration, whose events are stored and wait. */
async function begin(start: Start): Promise<Started> {
  const [port, providerId] = [await freePort(), randomUUID()];
  const target = createTarget(envOf(start, port));
  await target.start();
  const url = `http://127.0.0.1:${port}`;
  const headers = { Authorization: `Bearer ${start.token}` };
  const operations = createClient({ baseUrl: `${url}/operations/v1`, headers });
  const body = {
    providerId,
    kind: "sandbox",
    name: "Kvarteret",
    baseUrl: url,
    providerToken: "a-provider-token",
  };
  const { platformToken } = ok(await operations.createIntegration({ body }));
  return { target, url, providerId, platformToken };
}

/** An embedded platform creates its SECRET_KEY, as in most installations: a power cut must not lose it either. */
function envOf({ dataDir, server, token, secretKey }: Start, port: number): NodeJS.ProcessEnv {
  const { SECRET_KEY: _, DATABASE_URL: __, ...env } = process.env;
  return {
    ...env,
    ...(server && { SECRET_KEY: secretKey, DATABASE_URL: `${server.url}/chaos` }),
    ALLOW_INSECURE_PROVIDERS: "1",
    LOG_LEVEL: "fatal",
    OPERATIONS_TOKEN: token,
    PORT: String(port),
    SHIFTPACT_DATA: dataDir,
    WEBHOOK_RATE_LIMIT: "0",
  };
}

async function send(started: Started, acknowledged: Acknowledged, signal: AbortSignal): Promise<void> {
  const { url, providerId, platformToken } = started;
  const headers = { Authorization: `Bearer ${platformToken}`, "Content-Type": "application/json" };
  while (!signal.aborted) {
    const traceId = randomUUID();
    const event = { event: "shift.create", providerId, content: { shiftId: randomUUID() }, traceId };
    const { status } = await fetch(`${url}/api/v3/integrations/sandbox/webhook`, {
      method: "POST",
      headers,
      body: JSON.stringify(event),
      signal: AbortSignal.timeout(10_000),
    }).catch(() => ({ status: 0 }));
    if (status === 200) acknowledged.add(traceId);
    if (status === 0) await sleep(50);
  }
}

/** Starts the database, or the embedded platform, on the remaining disk. Returns the number of missing events. */
async function missing(left: Disk, acknowledged: ReadonlySet<string>, start: Start): Promise<number> {
  let server: PostgresServer | undefined;
  try {
    const databaseDir = join(left.folder, "pg");
    // A real power cut ends every process. Here the server continues, and its copy would give way to it.
    rmSync(join(databaseDir, "postmaster.pid"), { force: true });
    if (start.server) server = await reopenPostgres({ databaseDir });
    const dataDir = join(left.folder, "platform");
    if (!server) await startOn({ ...start, dataDir });
    const stored = await storedIn(
      server ? { url: `${server.url}/chaos` } : { dataDir: join(dataDir, "database") },
    );
    return [...acknowledged].filter((traceId) => !stored.has(traceId)).length;
  } finally {
    await server?.stop();
    left.remove();
  }
}

/** @throws Error when the platform no longer starts */
async function startOn(start: Start): Promise<void> {
  const target = createTarget(envOf(start, 0));
  try {
    await target.start();
  } finally {
    await target.kill();
  }
}

async function storedIn(where: { url?: string; dataDir?: string }): Promise<Set<string>> {
  const database = await openDatabase({ ...where, log });
  try {
    const rows = await database.kysely.selectFrom("events").select("traceId").execute();
    return new Set(rows.map(({ traceId }) => traceId));
  } finally {
    await database.close();
  }
}
