import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { backup } from "../../src/cli/backup.ts";
import { copyDatabase } from "../engines.ts";
import { terminal } from "./terminal.ts";

describe("shiftpact backup", () => {
  it("of PostgreSQL names no key of a data folder, which belongs to another database", async () => {
    const folder = await mkdtemp(join(tmpdir(), "shiftpact-backup-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { where, remove } = await copyDatabase();
    onTestFinished(remove);
    await writeFile(join(folder, "secret-key"), Buffer.alloc(32, 1).toString("base64"));
    const { io, out, err } = terminal({
      DATABASE_URL: where.url,
      SHIFTPACT_DATA: folder,
      LOG_LEVEL: "silent",
    });
    expect([await backup([join(folder, "file")], io), err]).toEqual([0, []]);
    expect(out.join("\n")).toContain("keep a copy of the one where you set it");
    expect(out.join("\n")).not.toContain(`${folder}/secret-key`);
  });
});
