import { Worker } from "node:worker_threads";
import { messages, type PGlite, protocol, types } from "@electric-sql/pglite";
import { workerFile, workerFlags } from "../../worker-file.ts";
import { MOST_PREPARED, type RunSql } from "../engine.ts";
import { isLate } from "../fragments.ts";

/** What the HTTP thread requests of the thread that owns the embedded database. Handled in the order of the requests. */
export type Call =
  /** One statement. `held`: within a transaction that the caller ends; anything else that fails is rolled back. */
  | { op: "query"; text: string; values: readonly unknown[]; held: boolean }
  /** Any number of statements. */
  | { op: "exec"; text: string; held: boolean }
  | { op: "listen"; channel: string }
  /** Ends the subscription that the call `of` began. */
  | { op: "unlisten"; of: number }
  | { op: "close" };

export type Request = Call & { id: number };

export interface Answer {
  rows: unknown[];
  affectedRows?: number | undefined;
  /** The last statement's tag; of a COMMIT in a failed transaction it is ROLLBACK. */
  command?: string | undefined;
}

/** Named as in PostgreSQL's protocol; neither the statement nor its values, which may be personal data. */
export interface PlainError {
  message: string;
  stack?: string | undefined;
  fields: Record<string, string>;
}

export type Reply =
  | { ready: true }
  | { id: number; answer: Answer }
  | { id: number; error: PlainError }
  /** To the subscription that the call `listener` began. */
  | { listener: number; payload: string }
  /** The thread ends now: the database must not be used any further. */
  | { lost: string };

export interface SessionOptions {
  /** Silence for this long, with calls waiting, means that the thread hangs. Longer than any statement takes. Milliseconds. */
  silenceMs?: number;
  /** The thread's file; for tests. */
  file?: URL;
}

// No statement takes so long; PGlite's endless loop after an internal error never ends.
const SILENCE_MS = 120_000;
const CLOSE_MS = 3_000;
const FILE = new URL("./pglite-worker.ts", import.meta.url);
// PostgreSQL's classes for "connection failure" and "connection does not exist".
const LOST = "08006";
const CLOSED = "08003";

/** Starts the thread that owns the cluster in `path`; rejects with the reason if it cannot. */
export async function startSession(path: string, options: SessionOptions = {}): Promise<PgliteSession> {
  const worker = new Worker(options.file ?? workerFile(FILE), {
    workerData: { path },
    execArgv: workerFlags(),
  });
  const session = new PgliteSession(worker, options.silenceMs ?? SILENCE_MS);
  try {
    await session.ready;
    return session;
  } catch (error) {
    await session.close();
    throw error;
  }
}

type Waiting = Pick<PromiseWithResolvers<Answer>, "resolve" | "reject">;

/** Why no call can be made any more. */
interface Ending {
  message: string;
  code: string;
  cause?: unknown;
}

/** The one session of the embedded database, which lives in a thread of its own. */
export class PgliteSession {
  /** Resolves, with the reason, when the thread ended without being asked to. */
  readonly lost: Promise<Error>;
  readonly ready: Promise<void>;
  readonly #worker: Worker;
  readonly #exited: Promise<unknown>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<number, (payload: string) => void>();
  readonly #watch: NodeJS.Timeout;
  readonly #startup = Promise.withResolvers<void>();
  readonly #loss = Promise.withResolvers<Error>();
  #ended: Ending | undefined;
  #isTaken = false;
  readonly #turns: (() => void)[] = [];
  readonly #singles: (() => void)[] = [];
  #lastId = 0;
  #silentChecks = 0;

  constructor(worker: Worker, silenceMs: number) {
    this.#worker = worker;
    this.ready = this.#startup.promise;
    this.lost = this.#loss.promise;
    this.#exited = new Promise((resolve) => worker.once("exit", resolve));
    worker.on("message", (reply: Reply) => this.#receive(reply));
    worker.on("messageerror", (error) => this.#lose(error.message));
    worker.on("error", (error) => this.#lose(messageOf(error), error));
    worker.on("exit", (code) => this.#lose(`its thread ended with code ${code}`));
    this.#watch = setInterval(() => this.#check(), silenceMs / 2).unref();
  }

  /** How many there were so far. */
  get calls(): number {
    return this.#lastId;
  }

  /** One statement; `held`: within the turn that the caller took. */
  async query(text: string, values: readonly unknown[], held = false): Promise<Answer> {
    if (!held) await this.#between();
    return this.#call({ op: "query", text, values: values.map(sentValue), held });
  }

  /** Any number of statements; if one fails outside of a turn, what they left open is rolled back. */
  async exec(text: string, held = false): Promise<Answer> {
    if (!held) await this.#between();
    return this.#call({ op: "exec", text, held });
  }

  /** For a caller that has the turn, or the session for itself. */
  readonly run: RunSql = (text, values = []) =>
    values.length > 0 ? this.query(text, values, true) : this.exec(text, true);

  /** Waits for the turn of a transaction: until it is given back, only `held` calls go through. Before the next one, all others do. */
  async takeTurn(): Promise<() => void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#turns.push(resolve));
    this.#isTaken = true;
    return () => {
      // A webhook's statement must not wait for every transaction that waits.
      for (const resolve of this.#singles.splice(0)) resolve();
      const next = this.#turns.shift();
      if (next) next();
      else this.#isTaken = false;
    };
  }

  /** Resolves when no transaction is under way. */
  async #between(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#singles.push(resolve));
  }

  async listen(channel: string, onPayload: (payload: string) => void): Promise<() => Promise<void>> {
    await this.#between();
    const listener = this.#lastId + 1;
    this.#listeners.set(listener, onPayload);
    await this.#call({ op: "listen", channel });
    return async () => {
      this.#listeners.delete(listener);
      await this.#between();
      if (!this.#ended) await this.#call({ op: "unlisten", of: listener });
    };
  }

  /** Finishes the calls in hand. */
  async close(): Promise<void> {
    if (this.#ended) return void (await this.#exited);
    const ending = { message: "the embedded database is closed", code: CLOSED };
    const closed = this.#call({ op: "close" }).catch(() => undefined);
    this.#end(ending);
    const timer = setTimeout(() => this.#worker.terminate(), CLOSE_MS);
    await this.#exited;
    clearTimeout(timer);
    this.#rejectAll(ending);
    await closed;
  }

  #call(call: Call): Promise<Answer> {
    if (this.#ended) return Promise.reject(errorOf(this.#ended));
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    this.#lastId += 1;
    // Throws on a value that cannot be sent; then nothing waits.
    this.#worker.postMessage({ ...call, id: this.#lastId });
    if (this.#waiting.size === 0) this.#silentChecks = 0;
    this.#waiting.set(this.#lastId, { resolve, reject });
    return promise;
  }

  #receive(reply: Reply): void {
    this.#silentChecks = 0;
    if ("ready" in reply) this.#startup.resolve();
    else if ("lost" in reply) this.#lose(reply.lost);
    else if ("listener" in reply) this.#listeners.get(reply.listener)?.(reply.payload);
    else this.#settle(reply);
  }

  #settle(reply: Extract<Reply, { id: number }>): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("answer" in reply) waiting?.resolve(reply.answer);
    else waiting?.reject(rebuild(reply.error));
  }

  /** Counted in checks, not in time: after a pause of the whole process the replies come before the second check. */
  #check(): void {
    if (this.#waiting.size === 0) return;
    this.#silentChecks += 1;
    if (this.#silentChecks > 2) this.#lose("its thread does not answer any more");
  }

  #lose(reason: string, cause?: unknown): void {
    if (this.#ended) return;
    const ending = { message: `the embedded database stopped: ${reason}`, code: LOST, cause };
    this.#end(ending);
    void this.#worker.terminate();
    this.#rejectAll(ending);
    this.#startup.reject(cause instanceof Error ? cause : errorOf(ending));
    this.#loss.resolve(errorOf(ending));
  }

  #end(ending: Ending): void {
    this.#ended = ending;
    clearInterval(this.#watch);
  }

  #rejectAll(ending: Ending): void {
    for (const { reject } of this.#waiting.values()) reject(errorOf(ending));
    this.#waiting.clear();
  }
}

const sentValue = (value: unknown): unknown => (isLate(value) ? value.toPostgres() : value);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

const errorOf = ({ message, code, cause }: Ending) =>
  Object.assign(new Error(message, cause === undefined ? {} : { cause }), { code });

/** As the driver made it: the error handlers read `code`, `constraint` and the like. */
function rebuild({ message, stack, fields }: PlainError): Error {
  const error = new Error(message);
  if (stack !== undefined) error.stack = stack;
  return Object.assign(error, fields);
}

interface Statement {
  name: string;
  /** Of its parameters, and of its columns. */
  types: readonly number[];
  fields: readonly { name: string; dataTypeID: number }[];
}

/**
 * Statements that the embedded database parses and plans once. PGlite's own `query` makes six calls each time; this makes one: bind,
 * execute, sync.
 */
export class Statements {
  readonly #pglite: PGlite;
  readonly #known = new Map<string, Statement>();

  constructor(pglite: PGlite) {
    this.#pglite = pglite;
  }

  async run(text: string, values: readonly unknown[]): Promise<Answer> {
    const known = this.#known.get(text);
    if (!known && this.#known.size >= MOST_PREPARED) return this.#pglite.query(text, [...values]);
    const statement = known ?? (await this.#prepare(text));
    const replies = await this.#ask(
      protocol.serialize.bind({
        statement: statement.name,
        values: values.map((value, index) => this.#written(value, statement.types[index])),
      }),
      protocol.serialize.execute(),
    );
    return this.#toAnswer(statement, replies);
  }

  async #prepare(text: string): Promise<Statement> {
    const name = `s${this.#known.size}`;
    const replies = await this.#ask(
      protocol.serialize.parse({ name, text }),
      protocol.serialize.describe({ type: "S", name }),
    );
    const parameters = replies.find((reply) => reply instanceof messages.ParameterDescriptionMessage);
    const columns = replies.find((reply) => reply instanceof messages.RowDescriptionMessage);
    const statement = { name, types: parameters?.dataTypeIDs ?? [], fields: columns?.fields ?? [] };
    this.#known.set(text, statement);
    return statement;
  }

  /** The folder syncs when PostgreSQL does: there is nothing to sync after it. */
  #ask(...asked: Uint8Array[]): Promise<messages.BackendMessage[]> {
    const message = Buffer.concat([...asked, protocol.serialize.sync()]);
    return this.#pglite.execProtocolStream(message, { syncToFs: false });
  }

  #written(value: unknown, type = 0): string | null {
    if (value === null || value === undefined) return null;
    const serialize = this.#pglite.serializers[type];
    return serialize ? serialize(value) : String(value);
  }

  #toAnswer({ fields }: Statement, replies: readonly messages.BackendMessage[]): Answer {
    const rows: unknown[] = [];
    let command: string | undefined;
    let affectedRows = 0;
    for (const reply of replies) {
      if (reply instanceof messages.DataRowMessage) rows.push(this.#rowOf(fields, reply));
      if (reply instanceof messages.CommandCompleteMessage) {
        const parts = reply.text.split(" ");
        command = parts[0];
        if (command !== "SELECT") affectedRows = Number(parts.at(-1)) || 0;
      }
    }
    return { rows, affectedRows, command };
  }

  #rowOf(fields: Statement["fields"], { fields: texts }: messages.DataRowMessage): unknown {
    const row: Record<string, unknown> = {};
    for (const [index, { name, dataTypeID }] of fields.entries()) {
      row[name] = types.parseType(texts[index] ?? null, dataTypeID, this.#pglite.parsers);
    }
    return row;
  }
}
