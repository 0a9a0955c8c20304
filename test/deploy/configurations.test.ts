import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { readConfig } from "../../src/platform/config.ts";
import { SETTING_NAMES } from "../../src/platform/settings.ts";
import { configure, PROXIES, shipped } from "./proxies.ts";

const run = promisify(execFile);
const undo: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const each of undo.splice(0)) await each();
});

describe.each(PROXIES)("the configuration of %s", (name) => {
  it("is valid", async () => {
    const { configured, remove } = await configure(name, { platforms: [3001, 3002], publics: [3101, 3102] });
    undo.push(remove);
    const { command, check, env } = configured;
    await run(command, check, { env: { ...process.env, ...env } });
  });
});

describe("the systemd unit", () => {
  async function verified(change: (text: string) => string): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "shiftpact-unit-"));
    undo.push(() => rm(folder, { recursive: true }));
    const text = await readFile(shipped("shiftpact@.service"), "utf8");
    const unit = join(folder, "shiftpact@3001.service");
    await writeFile(unit, change(text).replaceAll("/usr/bin/node", process.execPath));
    return run("systemd-analyze", ["verify", unit]).then(
      ({ stderr }) => stderr,
      ({ stderr }) => stderr,
    );
  }

  it("has nothing that systemd does not know", async () => {
    expect(await verified((text) => text)).toBe("");
    expect(await verified((text) => text.replace("UMask=", "UMusk="))).toContain("Unknown key");
  });

  it("does not restart a platform whose settings or schema do not fit", async () => {
    expect(await readFile(shipped("shiftpact@.service"), "utf8")).toMatch(/^RestartPreventExitStatus=2 3$/m);
  });
});

/** Returns the names that are neither a setting of the platform nor read by Node or the shell. */
const unknownOf = (names: readonly string[]): string[] =>
  names.filter((name) => ![...SETTING_NAMES, "NODE_ENV", "PATH"].includes(name));

describe("the environment", () => {
  it.each([
    ["of the systemd unit", "../../scripts/deploy/shiftpact@.service", /^Environment=.*$/gm],
    ["of the image", "../../Containerfile", /^ENV .*$/gm],
  ])("%s sets only known settings", async (_, file, lines) => {
    const text = await readFile(new URL(file, import.meta.url), "utf8");
    const names = [...text.matchAll(lines)].flatMap(([line]) => line.match(/\b[A-Z_]+(?==)/g) ?? []);
    expect(names).toContain("SHIFTPACT_DATA");
    expect(unknownOf(names)).toEqual([]);
    expect(unknownOf(["SHIFTPACT_DATE"])).toEqual(["SHIFTPACT_DATE"]);
  });
});

describe("compose.yaml", () => {
  it("gives each platform settings that it accepts, and a root file system that it cannot write to", async () => {
    const text = await readFile(new URL("../../compose.yaml", import.meta.url), "utf8");
    const { services } = parse(text, { merge: true });
    for (const name of ["platform-1", "platform-2"]) {
      const { environment, read_only } = services[name];
      const given = {
        OPERATIONS_TOKEN: "a-token-of-the-operators",
        SECRET_KEY: Buffer.alloc(32, 1).toString("base64"),
        POSTGRES_PASSWORD: "a-password",
      };
      const filled = JSON.stringify(environment).replaceAll(
        /\$\{(\w+):\?\}/g,
        (_, variable: keyof typeof given) => given[variable],
      );
      expect(readConfig(JSON.parse(filled))).toMatchObject({
        host: "0.0.0.0",
        port: 3000,
        publicPlace: { port: 3100 },
        trustProxy: 1,
      });
      expect(unknownOf(Object.keys(environment))).toEqual([]);
      expect(read_only).toBe(true);
    }
  });
});
