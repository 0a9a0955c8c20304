import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { summaryLine } from "../../scripts/vitest-summary.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The last line that vitest prints to stdout with our reporter after the default one. */
async function lastLine(files: Record<string, string>, config: object = {}): Promise<string | undefined> {
  return (await run(files, config)).lastLine;
}

async function run(files: Record<string, string>, config: object, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "summary-"));
  folders.push(folder);
  const reporters = ["default", join(ROOT, "scripts/vitest-summary.ts")];
  const test = { globals: true, include: ["*.test.js"], reporters, ...config };
  writeFileSync(join(folder, "vitest.config.mjs"), `export default ${JSON.stringify({ test })}`);
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const vitest = spawn(process.execPath, [join(ROOT, "node_modules/vitest/vitest.mjs"), "run"], {
    cwd: folder,
    env: { ...process.env, FAILURES: "", ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ended = once(vitest, "exit");
  const lines = (await text(vitest.stdout)).trimEnd().split("\n");
  const [exitCode] = await ended;
  return { lines, lastLine: lines.at(-1), exitCode };
}

const GOOD = 'it("a", () => {}); it("b", () => {});';

describe("the last line of a test run", () => {
  it("counts what passed", async () => {
    expect(await lastLine({ "good.test.js": GOOD })).toBe("2 passed, 0 failed");
  });

  it("counts what failed, a file that does not load, a hook that throws, and what was skipped", async () => {
    const files = {
      "good.test.js": GOOD,
      "bad.test.js": 'it("c", () => { throw new Error("no"); });',
      "lost.test.js": 'import "./nowhere.js"; it("never", () => {});',
      "hook.test.js":
        'describe("d", () => { beforeAll(() => { throw new Error("no"); }); it("e", () => {}); });',
    };
    expect(await lastLine(files)).toBe("2 passed, 3 failed, 1 skipped");
  });

  it("follows what failed, with its reason, and a file keeps it", async () => {
    const kept = join(mkdtempSync(join(tmpdir(), "failures-")), "failures");
    folders.push(dirname(kept));
    const bad = 'it("c", () => { throw new Error("a\\nb"); });';
    const { lines } = await run(
      { "bad.test.js": bad, "lost.test.js": 'import "./nowhere.js";' },
      {},
      { FAILURES: kept },
    );
    const named = lines.slice(-3, -1);
    expect(named[0]).toBe("failed: bad.test.js > c: a");
    expect(named[1]).toMatch(/^failed: lost\.test\.js: .*nowhere/);
    expect(readFileSync(kept, "utf8")).toBe(`${named.join("\n")}\n`);
  });

  it("follows the names of the tests that passed only at the second attempt", async () => {
    const unsteady =
      'let attempts = 0; it("g", () => { attempts += 1; if (attempts === 1) throw new Error("no"); }); it("h", () => {});';
    const once = await run({ "unsteady.test.js": unsteady }, { retry: 1 });
    expect(once.exitCode).toBe(0);
    expect(once.lines.slice(-2)).toEqual([
      "passed only at the second attempt: unsteady.test.js > g",
      "2 passed, 0 failed",
    ]);
    const always = 'it("i", () => { throw new Error("no"); });';
    expect(await lastLine({ "bad.test.js": always }, { retry: 1 })).toBe("0 passed, 1 failed");
  });

  it("is not green when the global setup throws", async () => {
    const files = { "good.test.js": GOOD, "setup.mjs": 'export default () => { throw new Error("no"); };' };
    expect(await lastLine(files, { globalSetup: ["setup.mjs"] })).toBe("0 passed, 1 failed");
  });

  it("is not green when an error escapes from the tests", async () => {
    const escaping =
      'it("f", async () => { Promise.reject(new Error("no")); await new Promise(setImmediate); });';
    expect(await lastLine({ "good.test.js": GOOD, "escaping.test.js": escaping })).toBe("3 passed, 1 failed");
  });

  it("is not green when there was nothing to run", async () => {
    expect(await lastLine({})).toBe("0 passed, 1 failed");
  });
});

it("a failing test fails the run that our own global setup serves", async () => {
  const globalSetup = [join(ROOT, "test/harness/global-setup.ts")];
  const files = { "bad.test.js": 'it("c", () => { throw new Error("no"); });' };
  expect(await run(files, { globalSetup })).toMatchObject({ lastLine: "0 passed, 1 failed", exitCode: 1 });
});

describe("summaryLine", () => {
  it.each([
    [{ passed: 3, failed: 0, skipped: 0 }, 0, "3 passed, 0 failed"],
    [{ passed: 3, failed: 2, skipped: 1 }, 1, "3 passed, 2 failed, 1 skipped"],
    [{ passed: 3, failed: 0, skipped: 0 }, 1, "3 passed, 1 failed"],
  ])("%j under exit code %i", (counts, exitCode, line) => {
    expect(summaryLine(counts, exitCode)).toBe(line);
  });
});
