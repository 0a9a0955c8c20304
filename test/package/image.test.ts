import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import lock from "../../package-lock.json" with { type: "json" };
import { freePort } from "../harness/embedded-postgres.ts";
import { copyDatabase } from "../harness/engines.ts";
import { buildImage, type Image } from "./image.ts";
import { type Packed, packAll } from "./installed.ts";

const run = promisify(execFile);

/** Returns the integrity of each package by its place. */
function integritiesIn({ packages }: { packages: object }): Record<string, string | undefined> {
  const entries = Object.entries(packages as Record<string, { integrity?: string }>);
  return Object.fromEntries(
    entries.map(([place, { integrity }]) => [place.replace(/^node_modules\//, ""), integrity]),
  );
}

let packed: Packed;
let image: Image;
beforeAll(async () => {
  packed = await packAll();
  image = await buildImage([packed.shiftpact, packed.platform, ...packed.image]);
});
afterAll(async () => {
  packed?.remove();
  await image?.remove();
});

it("has the command in this version", async () => {
  const { stdout } = await run(...image.command({}, "shiftpact", "--version"));
  expect(stdout.trim()).toBe(manifest.version);
});

it("has the packages of the repository's lock file, and no others", async () => {
  const print =
    "process.stdout.write(require('fs').readFileSync('/opt/shiftpact/node_modules/.package-lock.json'))";
  const { stdout } = await run(...image.command({}, "node", "-e", print));
  const { shiftpact: _, "@shiftpact/platform": __, ...others } = integritiesIn(JSON.parse(stdout));
  expect(Object.keys(others).length).toBeGreaterThan(50);
  expect(integritiesIn(lock)).toMatchObject(others);
});

it("is not built with a package that is another one than in the lock file", async () => {
  const folder = mkdtempSync(join(tmpdir(), "shiftpact-lock-"));
  const changed = packed.image.map((file) => {
    const text = readFileSync(file, "utf8");
    const to = join(folder, basename(file));
    writeFileSync(to, text.replace(integritiesIn(lock).undici ?? "", integritiesIn(lock).pg ?? ""));
    return to;
  });
  const building = buildImage([packed.shiftpact, packed.platform, ...changed]);
  await expect(building).rejects.toMatchObject({ stderr: expect.stringContaining("EINTEGRITY") });
  rmSync(folder, { recursive: true });
});

it("runs the platform without root on a read-only file system, and its health check passes", async () => {
  const port = await freePort();
  const database = await copyDatabase();
  const env = {
    DATABASE_URL: database.where.url,
    PORT: `0.0.0.0:${port}`,
    DRAIN_SECONDS: "0",
    LOG_LEVEL: "warn",
    OPERATIONS_TOKEN: randomBytes(24).toString("base64url"),
    SECRET_KEY: randomBytes(32).toString("base64"),
  };
  const [command, args] = image.command(env, "shiftpact-platform");
  const platform = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const check = (PORT = env.PORT) => run(...image.command({ PORT }, ...image.healthCheck));
  try {
    await expect(check()).rejects.toMatchObject({ code: 1 });
    await once(createInterface({ input: platform.stdout }), "line");
    await check();
    await check(`${port}`);
    const user = await run("ps", ["-o", "uid=", "-p", `${platform.pid}`]);
    expect(image.user).toBeGreaterThan(0);
    expect(Number(user.stdout)).toBe(image.user);
    const writing = run(...image.command({}, "sh", "-c", "echo > /work/file"));
    await expect(writing).rejects.toMatchObject({ stderr: expect.stringMatching(/read-only/i) });
  } finally {
    const ended = once(platform, "exit");
    platform.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    await database.remove();
  }
});
