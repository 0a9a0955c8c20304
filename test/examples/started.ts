import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is removed at the end of the test. */
export function folder(name: string): string {
  const path = mkdtempSync(join(tmpdir(), `${name}-`));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** Ends the process at the end of the test, before what was made earlier is removed. */
export function endWithTest<Child extends ChildProcess>(child: Child): Child {
  onTestFinished(() => end(child));
  return child;
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}
