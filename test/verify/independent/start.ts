import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import type { Fixtures, OtherTenant } from "../../../src/verify/options.ts";

const SCRIPT = join(import.meta.dirname, "provider.py");

/** Python 3.11 or newer. */
export const hasPython =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 11))"]).status === 0;

/** One way in which the independent provider can deviate; README.md lists them. */
export interface PlantedFault {
  name: string;
  about: string;
  /** Flags with which it can be planted. */
  applies: Readonly<Record<string, readonly string[]>>;
}

/** @throws Error when the provider cannot list them */
export function listFaults(): PlantedFault[] {
  const { status, stdout, stderr } = spawnSync("python3", [SCRIPT, "--list-faults"], { encoding: "utf8" });
  if (status !== 0) throw new Error(`the independent provider does not list its faults: ${stderr}`);
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** `both` where a form can be chosen: it can be planted in either. */
export function flagsFor({ name, applies }: PlantedFault): string[] {
  const flags = Object.entries(applies).flatMap(([flag, values]) => [
    `--${flag}`,
    values.includes("both") ? "both" : (values[0] ?? ""),
  ]);
  return [...flags, "--fault", name];
}

export interface Independent {
  baseUrl: string;
  providerId: string;
  token: string;
  other: OtherTenant;
  fixtures: Fixtures;
  close(): void;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

interface Server {
  child: Child;
  lines: Interface;
}

/** To start Python takes longer than a verification: a process serves one provider after another. */
const idle: Server[] = [];

/** @throws Error when it refuses its flags */
export async function startIndependent(flags: readonly string[]): Promise<Independent> {
  const server = idle.pop() ?? spawned();
  const { child, lines } = server;
  child.stdin.write(`${JSON.stringify(flags)}\n`);
  const line = await Promise.race([once(lines, "line"), once(lines, "close").then(() => undefined)]);
  if (!line) throw new Error(`the independent provider does not start with ${flags.join(" ")}`);
  const { url, otherProviderId, otherToken, providerId, token, fixtures } = JSON.parse(line[0]);
  return {
    baseUrl: url,
    providerId,
    token,
    fixtures,
    other: { providerId: otherProviderId, token: otherToken },
    close: () => {
      idle.push(server);
    },
  };
}

function spawned(): Server {
  const child: Child = spawn("python3", [SCRIPT, "--quiet"], { stdio: ["pipe", "pipe", "inherit"] });
  return { child, lines: createInterface({ input: child.stdout }) };
}

/** Ends the processes: they end when their input does. */
export async function endIndependent(): Promise<void> {
  for (const { child } of idle.splice(0)) {
    child.stdin.end();
    await once(child, "close");
  }
}
