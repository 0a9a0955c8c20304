import { fork } from "node:child_process";
import { once } from "node:events";
import type { Ground } from "./ground.ts";
import type { Answered, Told } from "./servers/parent.ts";

/** A server under test, in a process of its own. */
export interface Child {
  url: string;
  /** What `answerParent` was given under that name. */
  ask(question: string): Promise<unknown>;
  /** Of its process, so far. Microseconds. */
  cpu(): Promise<number>;
  /** At once: what it holds is of no use to anybody afterwards. */
  end(): Promise<void>;
}

let asked = 0;

/** Starts a module of servers/. `settings` are its environment, beside what every process needs. */
export async function startChild(
  ground: Ground,
  entry: URL,
  settings: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = fork(entry, {
    env: { ...baseEnv(), ...settings },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    // Without tsx, whose names for functions cost each call of them: as the compiled package runs.
    execArgv: ["--disable-warning=ExperimentalWarning"],
  });
  const gone = once(child, "exit");
  const end = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await gone;
  };
  ground.ends(end);
  const early = gone.then(([code, signal]) => {
    throw new Error(`${entry.pathname.split("/").at(-1)} ended with ${code ?? signal}`);
  });
  early.catch(() => undefined);
  const { port } = await Promise.race([once(child, "message").then(([told]) => told as Told), early]);
  const ask = (question: string) => {
    asked += 1;
    const id = asked;
    const answer = new Promise<unknown>((resolve) => {
      const hear = (answered: Answered) => {
        if (answered.id !== id) return;
        child.off("message", hear);
        resolve(answered.answer);
      };
      child.on("message", hear);
    });
    child.send({ id, question });
    return Promise.race([answer, early]);
  };
  return { url: `http://127.0.0.1:${port}`, ask, cpu: async () => Number(await ask("cpu")), end };
}

/** Nothing of the caller's own settings: a DATABASE_URL that is set there is somebody's real one. */
function baseEnv(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_COMPILE_CACHE } = process.env;
  return Object.fromEntries(
    Object.entries({ PATH, HOME, TMPDIR, NODE_COMPILE_CACHE, NODE_ENV: "production" }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}
