import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";

const ROOT = join(import.meta.dirname, "../..");
const UNASSIGN = { operations: ["unassignCandidate", "deleteAssignment"] } as const;

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** Runs the command in a separate process, as `npm run -s shiftpact --` does. */
function started(sandbox: Sandbox, shiftId: string) {
  const argv = ["--import", "tsx", "src/cli/shiftpact.ts", "verify", sandbox.url];
  argv.push("--provider-id", sandbox.providerId, "--shift-id", shiftId, "--seed", "1", "--json");
  const env = { ...process.env, PROVIDER_TOKEN: sandbox.token };
  const child = spawn(process.execPath, argv, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  const text = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (part) => (text.stdout += part));
  child.stderr.setEncoding("utf8").on("data", (part) => (text.stderr += part));
  const closed = once(child, "close");
  ends.push(async () => {
    child.kill("SIGKILL");
    await closed;
  });
  const ended = closed.then(([code]) => ({ code: code as number | null, ...text }));
  return { ended, text, interrupt: () => child.kill("SIGINT") };
}

/** A provider that hangs once a candidate is on the shift, so that the command is stopped in the middle of its work. */
async function inTheMiddle() {
  const sandbox = await startSandbox();
  ends.push(() => sandbox.close());
  const { shiftId, shift } = sandbox.createShift({ positions: 2 });
  sandbox.setFault("slow", UNASSIGN);
  const command = started(sandbox, shiftId);
  await expect.poll(() => shift.assigned.size).toBe(1);
  return { sandbox, shift, ...command };
}

it("Ctrl-C restores changed data, reports this, and exits with 2", async () => {
  const { sandbox, shift, interrupt, ended } = await inTheMiddle();
  sandbox.clearFaults();
  interrupt();
  const { code, stdout, stderr } = await ended;
  expect(stderr.trimEnd().split("\n")).toEqual([
    "shiftpact verify: stopping and restoring changed data; press Ctrl-C again to stop immediately",
    `shiftpact verify: stopped before the end; the shift ${shift.id} is unchanged, and created test candidates stay`,
  ]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(shift).toMatchObject({ positions: 2, assigned: new Map() });
});

it("a second Ctrl-C ends at once and warns that changed data may remain", async () => {
  const { text, shift, interrupt, ended } = await inTheMiddle();
  interrupt();
  await expect.poll(() => text.stderr).toContain("stopping");
  interrupt();
  const { code, stderr } = await ended;
  expect(stderr).toContain("shiftpact verify: stopped immediately: changed data may remain at the provider");
  expect([code, shift.assigned.size]).toEqual([2, 1]);
});
