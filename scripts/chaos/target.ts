import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const ENTRY = fileURLToPath(new URL("./platform-child.ts", import.meta.url));
const STARTS = 5;

/** A platform process that is killed and started again, always on the same port and the same data. */
export interface Target {
  pid: number | undefined;
  /** Resolves once it listens, or was killed. @throws Error when it ends by itself, again and again. */
  start(): Promise<void>;
  /** SIGKILL. Resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGKILL at once, for whoever cannot wait. */
  killNow(): void;
  /** Resolves when the process that runs now is gone. */
  gone(): Promise<unknown>;
  /** Resolves when it has nothing to do any more, or after so long. Milliseconds. */
  idle(withinMs: number): Promise<void>;
  /** Sets its clock so far from the machine's. Milliseconds. */
  jump(ms: number): void;
  /** Of the process, in memory that is resident. Megabytes; 0 where the system does not tell. */
  memory(): number;
  /** How many processes of its have ended by SIGKILL. */
  readonly kills: number;
  /** SIGTERM. @throws Error when the exit code is not 0. */
  stop(): Promise<void>;
  /** How often it ended without being told to, and the last words. */
  deaths: string[];
}

/** @param entry runs the platform as `platform-child.ts` does. @param flags of Node. */
export function createTarget(
  env: NodeJS.ProcessEnv,
  { flags = [], entry = ENTRY }: { flags?: readonly string[]; entry?: string } = {},
): Target {
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let isKilled = false;
  let kills = 0;
  const deaths: string[] = [];

  /** True once it listens, or was killed meanwhile. */
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
    createInterface({ input: stderr }).on("line", (line) => words.splice(0, words.length - 4, line));
    const listening = once(createInterface({ input: stdout }), "line").then(() => true);
    ended = once(started, "close").then(([code, signal]) => {
      if (signal === "SIGKILL") kills += 1;
      if (!isKilled) deaths.push(`code ${code}: ${words.join(" | ")}`);
    });
    return Promise.race([listening, ended.then(() => isKilled)]);
  }

  const killNow = () => {
    isKilled = true;
    child?.kill("SIGKILL");
  };
  return {
    deaths,
    get kills() {
      return kills;
    },
    get pid() {
      return child?.pid;
    },
    start: async () => {
      for (let attempt = 1; !(await startOnce()); attempt += 1) {
        if (attempt === STARTS) throw new Error(`the platform does not start: ${deaths.at(-1)}`);
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
      const asked = child;
      if (!asked) return;
      const over = new AbortController();
      const told = once(asked, "message", { signal: over.signal }).catch(() => undefined);
      asked.send("idle");
      await Promise.race([told, ended, sleep(withinMs, undefined, over).catch(() => undefined)]);
      over.abort();
    },
    jump: (jumpMs) => void (child?.connected && child.send({ jumpMs })),
    memory: () => residentMegabytes(child?.pid ?? 0),
    stop: async () => {
      const before = deaths.length;
      child?.kill("SIGTERM");
      await ended;
      const end = deaths.splice(before)[0];
      if (end !== undefined && !end.startsWith("code 0"))
        throw new Error(`the platform stopped badly: ${end}`);
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
