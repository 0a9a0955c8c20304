import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Resources } from "./machine.ts";

/** The result of a command. */
export interface Ended {
  code: number | null;
  /** The duration of its process. Milliseconds. */
  ms: number;
  /** Its output on both streams. */
  output: string;
}

/** Runs a Node program. `argv` begins with its file. Ctrl-C and failures end it with everything else. */
export async function runNode(
  resources: Resources,
  argv: readonly string[],
  { cwd, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<Ended> {
  const begun = performance.now();
  const child = spawn(process.execPath, argv, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd !== undefined && { cwd }),
  });
  resources.onClear(() => endOf(child));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const [code] = await once(child, "close");
  return { code, ms: performance.now() - begun, output };
}

function endOf(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
}
