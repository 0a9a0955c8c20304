import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { cpuOf } from "../../../scripts/bench/cpu.ts";

const BUSY = "const until = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < until);";

describe.runIf(process.platform === "linux")("the CPU of a process", () => {
  it("includes that of its children that have ended, as connections of PostgreSQL do", async () => {
    const shell = spawn("sh", ["-c", `"$0" -e "$1"; echo ended; read -r _`, process.execPath, BUSY], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    await once(shell.stdout, "data");
    const used = cpuOf([shell.pid ?? 0]);
    shell.stdin.end();
    await once(shell, "exit");
    expect(used).toBeGreaterThanOrEqual(200_000);
  });

  it("is 0 of one that does not exist", () => {
    expect(cpuOf([2 ** 30])).toBe(0);
  });
});
