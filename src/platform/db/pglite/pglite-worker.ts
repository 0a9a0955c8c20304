import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import type { PGlite, Results } from "@electric-sql/pglite";
import { startCluster } from "./cluster.ts";
import { type Answer, type Call, type PlainError, type Reply, type Request, Statements } from "./session.ts";

const ERROR_FIELDS = [
  "code",
  "severity",
  "detail",
  "hint",
  "where",
  "schema",
  "table",
  "column",
  "constraint",
];

/** Opens the cluster in `path` and handles the requests of `port`, one after the other, until it is to close. */
async function serve(port: MessagePort, path: string): Promise<void> {
  const post = (reply: Reply) => port.postMessage(reply);
  const onBroken = (reason: string): never => {
    post({ lost: reason });
    // Ends this thread at once, and with it the call in hand, which cannot be answered any more.
    return process.exit(1);
  };
  const pglite = await startCluster(path, { onBroken });
  const parts: Parts = { pglite, statements: new Statements(pglite), listeners: new Map(), post };
  let last = Promise.resolve();
  port.on("message", (request: Request) => {
    last = last.then(async () => {
      try {
        post({ id: request.id, answer: await carryOut(request, parts) });
      } catch (error) {
        await rollBack(pglite, request);
        post({ id: request.id, error: describe(error) });
      }
      if (request.op === "close") port.close();
    });
  });
  post({ ready: true });
}

interface Parts {
  pglite: PGlite;
  statements: Statements;
  listeners: Map<number, () => Promise<void>>;
  post: (reply: Reply) => void;
}

async function carryOut(request: Request, { pglite, statements, listeners, post }: Parts): Promise<Answer> {
  const { id } = request;
  switch (request.op) {
    case "query":
      return statements.run(request.text, request.values);
    case "exec":
      return summary(await pglite.exec(request.text));
    case "listen":
      listeners.set(id, await pglite.listen(request.channel, (payload) => post({ listener: id, payload })));
      return { rows: [] };
    case "unlisten":
      await listeners.get(request.of)?.();
      listeners.delete(request.of);
      return { rows: [] };
    case "close":
      await pglite.close();
      return { rows: [] };
    default:
      throw new Error(`there is no call ${JSON.stringify(request satisfies never)}`);
  }
}

function summary(results: Results<unknown>[]): Answer {
  const last = results.at(-1);
  return {
    rows: results.flatMap(({ rows }) => rows),
    affectedRows: last?.affectedRows,
    command: last?.command,
  };
}

/** What failed half way must not leave its transaction open on the one connection there is. */
async function rollBack(pglite: PGlite, call: Call): Promise<void> {
  if (pglite.closed || ("held" in call && call.held)) return;
  await pglite.exec("rollback").catch(() => undefined);
}

function describe(error: unknown): PlainError {
  if (!(error instanceof Error)) return { message: String(error), fields: {} };
  const values = Object.entries(error).filter(
    ([name, value]) => ERROR_FIELDS.includes(name) && value !== undefined,
  );
  return { message: error.message, stack: error.stack, fields: Object.fromEntries(values) };
}

if (parentPort) await serve(parentPort, workerData.path);
