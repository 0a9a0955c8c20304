import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createClient } from "../../generated/operations/client.ts";
import { schemas } from "../../generated/provider/validators.js";
import { onboard } from "../../test/harness/organisation.ts";
import { createLoad, type Load, PERSISTENT_SCHEDULE } from "./load.ts";

const ENTRY = fileURLToPath(new URL("./platform-child.ts", import.meta.url));
/** How often the platform reads each future shift again, at most 10 % later. Milliseconds. */
export const RECONCILE_MS = 8_000;
const STARTS = 5;
/** The lines of a process that ended unexpectedly. */
const LINES_KEPT = 12;
/** The database ended a connection, or gave none: the only end of a start that a failover explains. */
const OUTAGE = /Connection terminated|connection timeout|trying to connect|ECONN|57P0|25006|read-only/i;
/** How long a supervisor starts the platform again while its database fails over. Milliseconds. */
const FAILOVER_MS = 90_000;

/** A platform process that is killed and started again, always on the same port and the same data. */
export interface Target {
  pid: number | undefined;
  /** Resolves once it listens, or was killed. @throws Error when it repeatedly ends unexpectedly */
  start(): Promise<void>;
  /** Sends SIGKILL. Resolves when the process is gone. */
  kill(): Promise<void>;
  /** Sends SIGKILL, without a wait. */
  killNow(): void;
  /** Resolves when the current process is gone. */
  gone(): Promise<unknown>;
  /** Resolves when it has no work left, or after this time. Milliseconds. */
  idle(withinMs: number): Promise<void>;
  /** Offsets its clock from the system clock. Milliseconds. */
  jump(ms: number): void;
  /** Returns the resident memory of the process. Megabytes; 0 where the system does not report it. */
  memory(): number;
  /** The number of its processes that SIGKILL ended. */
  readonly kills: number;
  /** Sends SIGTERM. @throws Error when the exit code is not 0 */
  stop(): Promise<void>;
  /** Each unexpected end, with the last log lines. */
  crashes: string[];
}

interface TargetOptions {
  /** Flags of Node. */
  flags?: readonly string[];
  /** Runs the platform as `platform-child.ts` does. */
  entry?: string;
  /** Whether the database fails over, so that a start may fail. */
  isPair?: boolean;
}

export function createTarget(
  env: NodeJS.ProcessEnv,
  { flags = [], entry = ENTRY, isPair = false }: TargetOptions = {},
): Target {
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let isKilled = false;
  let kills = 0;
  const crashes: string[] = [];

  /** Returns true once it listens, or was killed meanwhile. */
  async function startOnce(): Promise<boolean> {
    isKilled = false;
    const started = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", ...flags, entry], {
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const { stdout, stderr } = started;
    if (!stdout || !stderr) throw new Error("the platform has no output");
    child = started;
    const words: string[] = [];
    createInterface({ input: stderr }).on("line", (line) => {
      words.push(line);
      if (words.length > LINES_KEPT) words.shift();
    });
    const listening = once(createInterface({ input: stdout }), "line").then(() => true);
    ended = once(started, "close").then(([code, signal]) => {
      if (signal === "SIGKILL") kills += 1;
      if (!isKilled) crashes.push(`code ${code}: ${words.join(" | ")}`);
    });
    return Promise.race([listening, ended.then(() => isKilled)]);
  }

  const killNow = () => {
    isKilled = true;
    child?.kill("SIGKILL");
  };
  return {
    crashes,
    get kills() {
      return kills;
    },
    get pid() {
      return child?.pid;
    },
    start: async () => {
      const until = performance.now() + FAILOVER_MS;
      for (let attempt = 1; !(await startOnce()); attempt += 1) {
        const isOver = isPair ? performance.now() > until : attempt === STARTS;
        if (isOver) throw new Error(`the platform does not start: ${crashes.at(-1)}`);
        if (isPair && OUTAGE.test(crashes.at(-1) ?? "")) crashes.pop();
        await sleep(200);
      }
    },
    killNow,
    kill: async () => {
      killNow();
      await ended;
    },
    gone: () => ended,
    idle: async (withinMs) => {
      const current = child;
      if (!current) return;
      const over = new AbortController();
      const idle = once(current, "message", { signal: over.signal }).catch(() => undefined);
      current.send("idle");
      await Promise.race([idle, ended, sleep(withinMs, undefined, over).catch(() => undefined)]);
      over.abort();
    },
    jump: (jumpMs) => void (child?.connected && child.send({ jumpMs })),
    memory: () => residentMegabytes(child?.pid ?? 0),
    stop: async () => {
      const before = crashes.length;
      child?.kill("SIGTERM");
      await ended;
      const end = crashes.splice(before)[0];
      if (end !== undefined && !end.startsWith("code 0"))
        throw new Error(`the platform did not stop cleanly: ${end}`);
    },
  };
}

function residentMegabytes(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

/** Interrupts a provider call after its effect and before its response. */
export interface CallHook {
  /** Calls back before the response to the `calls`th call from now. Returns a function that cancels it. */
  inCall(calls: number, then: () => void): () => void;
  /** Called with each JSON response. */
  responded(): void;
}

export function createCallHook(): CallHook {
  let waiting: { calls: number; then: () => void } | undefined;
  return {
    inCall: (calls, then) => {
      waiting = { calls, then };
      return () => {
        waiting = undefined;
      };
    },
    responded: () => {
      if (waiting) waiting.calls -= 1;
      if (waiting?.calls === 0) {
        waiting.then();
        waiting = undefined;
      }
    },
  };
}

/** Onboards an organisation on the platform at `url`, whose provider's responses pass the hook. */
export async function onboardProvider(url: string, token: string, callHook: CallHook): Promise<Load> {
  const headers = { Authorization: `Bearer ${token}` };
  const operations = createClient({ baseUrl: `${url}/operations/v1`, headers });
  const platform = { url, idle: async () => undefined };
  let load: Load | undefined;
  const organisation = await onboard(
    { platform, operations },
    {
      rewrite: (body) => {
        if (load) note(load, body);
        callHook.responded();
        return body;
      },
      dialect: { assignEchoes: true },
      webhooks: { schedule: PERSISTENT_SCHEDULE, timeoutMs: 2_000 },
    },
  );
  load = createLoad(organisation);
  return load;
}

function note({ assigned, organisation, record }: Load, body: unknown): void {
  if (!schemas.Assignment(body)) return;
  const { shiftId, candidateId } = body;
  if (shiftId === undefined || candidateId === undefined) return;
  assigned.push({ shiftId, candidateId, at: organisation.calls.length, marks: record.faults.length });
}
