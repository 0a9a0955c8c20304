import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, inject, it } from "vitest";
import { whyNoDisk } from "../../scripts/chaos/disk.ts";
import { powerCuts } from "../../scripts/chaos/power-cut.ts";
import { engines } from "../harness/engines.ts";

const CUTS = 2;
const seed = Date.now() % 1_000_000;

// A folder in memory is sufficient, because the file system in the file has a separate page cache.
const folder = mkdtempSync(join(tmpdir(), "shiftpact-power-cut-"));
// PostgreSQL may run as a separate user.
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const reason = whyNoDisk(folder);

describe.each(engines)(`a power cut while events are acknowledged, on %s (seed ${seed})`, (engine) => {
  it("loses none of them", async ({ skip }) => {
    skip(reason !== undefined, reason);
    const { acknowledged, lost } = await powerCuts({
      engine,
      seed,
      folder,
      cuts: CUTS,
      template: inject("pgliteTemplate"),
    });
    expect(lost).toEqual(Array.from({ length: CUTS }, () => 0));
    expect(acknowledged).toBeGreaterThan(20);
  });
});
