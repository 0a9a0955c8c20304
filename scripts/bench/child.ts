import { fork } from "node:child_process";
import { once } from "node:events";
import type { Resources } from "./machine.ts";
import type { Answered, Listening } from "./servers/parent.ts";

/** A server under test, in a separate process. */
export interface Child {
  url: string;
  /** Returns the answer that the child gave `answerParent` under this name. */
  ask(question: string): Promise<unknown>;
  /** Returns the CPU time of its process so far. Microseconds. */
  cpu(): Promise<number>;
  /** Kills it: its data is no longer needed. */
  end(): Promise<void>;
}

let questions = 0;

/** Starts a module of servers/. `settings` are its environment, beside what all processes need. */
export async function startChild(
  resources: Resources,
  entry: URL,
  settings: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = fork(entry, {
    env: { ...baseEnv(), ...settings },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // Without tsx, whose function names slow down each call: the compiled package runs without it.
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const gone = once(child, "exit");
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await gone;
  };
  resources.onClear(end);
  const early = gone.then(([code, signal]) => {
    throw new Error(`${entry.pathname.split("/").at(-1)} ended with ${code ?? signal}`);
  });
  early.catch(() => undefined);
  const { port } = await Promise.race([
    once(child, "message").then(([message]) => message as Listening),
    early,
  ]);
  const ask = (question: string) => {
    questions += 1;
    const id = questions;
    const answer = new Promise<unknown>((resolve) => {
      const receive = (answered: Answered) => {
        if (answered.id !== id) return;
        child.off("message", receive);
        resolve(answered.answer);
      };
      child.on("message", receive);
    });
    child.send({ id, question });
    return Promise.race([answer, early]);
  };
  return { url: `http://127.0.0.1:${port}`, ask, cpu: async () => Number(await ask("cpu")), end };
}

/** Omits the caller's settings: its DATABASE_URL may be a production one. */
function baseEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return Object.fromEntries(
    Object.entries({ PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, NODE_ENV: "production" }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}
