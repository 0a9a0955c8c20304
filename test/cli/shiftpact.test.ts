import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { lineWriter } from "../../src/cli/io.ts";
import { shiftpact } from "../../src/cli/shiftpact.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { terminal } from "../harness/terminal.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

describe("shiftpact", () => {
  it.each(["--version", "-v"])("prints its version with %s", async (flag) => {
    const { io, out, err } = terminal();
    expect(await shiftpact([flag], io)).toBe(0);
    expect([out, err]).toEqual([[version], []]);
  });

  it.each(["--version", "-v"])("prints its version with platform %s", async (flag) => {
    const { io, out, err } = terminal();
    expect(await shiftpact(["platform", flag], io)).toBe(0);
    expect([out, err]).toEqual([[version], []]);
  });

  it("prints its version as shiftpact-platform --version", () => {
    const command = fileURLToPath(new URL("../../src/cli/platform-command.ts", import.meta.url));
    const { status, stdout, stderr } = spawnSync(process.execPath, [command, "--version"], {
      encoding: "utf8",
    });
    expect([status, stdout, stderr]).toEqual([0, `${version}\n`, ""]);
  });
});

/** Runs the command with an output that is closed after its first line. Returns what it wrote to stderr, and its exit code. */
async function headOf(argv: readonly string[]) {
  const child = spawn(process.execPath, ["--import", "tsx", "src/cli/shiftpact.ts", ...argv], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  child.stdout.once("data", () => child.stdout.destroy());
  const [exit, signal] = await once(child, "exit");
  return { exit, signal, errors };
}

describe("an output that is closed early", () => {
  it("does not keep shiftpact verify from restoring changed data and exiting with its verdict", async () => {
    const sandbox = await startSandbox({});
    const { shiftId, shift } = sandbox.createShift({ positions: 2 });
    const flags = ["--token", sandbox.token, "--shift-id", shiftId, "--skip", "contracts,cancellation"];
    const ended = await headOf(["verify", sandbox.url, "--provider-id", sandbox.providerId, ...flags]);
    await sandbox.close();
    expect(ended).toEqual({ exit: 0, signal: null, errors: "" });
    expect([shift.positions, shift.assigned.size]).toEqual([2, 0]);
  });

  it("gets no further lines", async () => {
    const stream = new PassThrough();
    const write = lineWriter(stream);
    write("one");
    stream.emit("error", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    write("two");
    expect(stream.read().toString()).toBe("one\n");
  });
});
