import { readFileSync } from "node:fs";

/** Linux counts in hundredths of a second. */
const TICK_US = 10_000;

/** Returns the CPU time of these processes and their ended children, in microseconds; 0 without /proc. */
export function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid) * TICK_US, 0);
}

function ticksOf(pid: number): number {
  try {
    // The name in brackets may hold anything; user and system time are the 12th and 13th field after it, those of children the next two.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
  } catch {
    return 0;
  }
}

/** Returns the CPU time of this process so far, in microseconds. */
export function ownCpu(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
