import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { checkOut } from "./installed.ts";

/** The limit of a build. Milliseconds. */
const TIMEOUT_MS = 180_000;

describe("a release", () => {
  let root: string;
  let checkout: string;
  let out: string;
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "shiftpact-release-"));
    checkout = checkOut(root);
    out = join(root, "out");
    mkdirSync(out);
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  function release(...argv: string[]) {
    const env = { ...process.env, RELEASE_DIR: out };
    const { status, stdout, stderr } = spawnSync(join(checkout, ".ci", "release"), argv, {
      cwd: checkout,
      env,
      encoding: "utf8",
    });
    return { status, output: `${stdout}${stderr}` };
  }

  it(
    "packs both packages, writes bills of materials, and prints what it would publish",
    () => {
      const { status, output } = release("--dry-run");
      const { version } = manifest;
      expect([status, output]).toEqual([0, expect.stringContaining(`+ shiftpact@${version}`)]);
      expect(output).toContain(`+ @shiftpact/platform@${version}`);
      expect(readdirSync(out).sort()).toEqual([
        `shiftpact-${version}.tgz`,
        "shiftpact-bundled.cdx.json",
        `shiftpact-platform-${version}.tgz`,
        "shiftpact.cdx.json",
      ]);
      const { components } = JSON.parse(readFileSync(join(out, "shiftpact.cdx.json"), "utf8"));
      const names = components.map(({ name }: { name: string }) => name);
      expect(names).toEqual(expect.arrayContaining(["openapi-fetch", "undici"]));
      expect(names).not.toContain("express");
    },
    TIMEOUT_MS,
  );

  it("is refused for a version without a changelog entry", () => {
    const file = join(checkout, "package.json");
    writeFileSync(file, JSON.stringify({ ...manifest, version: "9.9.9" }));
    expect(release("--dry-run")).toEqual({ status: 1, output: "CHANGELOG.md says nothing of 9.9.9\n" });
  });
});
