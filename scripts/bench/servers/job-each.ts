import type { AddressInfo } from "node:net";
import express, { type RequestHandler } from "express";
import { PgBoss } from "pg-boss";
import { pino } from "pino";
import { openDatabase } from "../../../src/platform/db/database.ts";
import { answerParent } from "./parent.ts";

// The usual webhook route in Express: it reads the body, queues a job, and responds when the job is stored.

const QUEUE = "events";
const { DATABASE_URL: url, DATA_DIR: dataDir, TOKEN } = process.env;

/** Opens PostgreSQL through pg-boss's pool, and PGlite through the platform's session, because PGlite alone does not sync. */
async function startBoss(): Promise<PgBoss> {
  if (url) return new PgBoss(url).start();
  const { raw } = await openDatabase({ dataDir, log: pino({ level: "silent" }) });
  return new PgBoss({ db: { executeSql: raw.executeSql }, backend: "pglite" }).start();
}

const boss = await startBoss();
await boss.createQueue(QUEUE);

const authenticate: RequestHandler = (request, response, next) => {
  if (request.headers.authorization === `Bearer ${TOKEN}`) next();
  else response.sendStatus(401);
};

const app = express();
app.disable("x-powered-by");
app.disable("etag");
app.post("/{*path}", authenticate, express.json({ limit: "64kb" }), async (request, response) => {
  await boss.send(QUEUE, request.body);
  response.json({ received: true });
});

const server = app.listen(0, "127.0.0.1", () => answerParent((server.address() as AddressInfo).port));
