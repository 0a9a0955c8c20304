import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import type { ComparedDocument } from "../../scripts/contract-diff/change.ts";
import { versionVerdict } from "../../scripts/contract-diff/version-rule.ts";
import { main } from "../../scripts/contract-diff.ts";
import {
  ADDITIONS,
  add,
  drop,
  type Edit,
  NEW_EVENT,
  OPERATIONS,
  PLATFORM,
  PROVIDER,
  put,
  REPORTED,
  SEEDS,
} from "./contract-diff-seeds.ts";

const SPEC = fileURLToPath(new URL("../../spec", import.meta.url));

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function git(cwd: string, ...args: string[]): void {
  const who = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
  execFileSync("git", [...who, ...args], { cwd, stdio: "ignore" });
}

function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "contract-diff-test-"));
  folders.push(folder);
  return folder;
}

/** A repository whose last commit holds spec/ as it is here. */
function repository(): string {
  const folder = emptyFolder();
  cpSync(SPEC, join(folder, "spec"), { recursive: true });
  git(folder, "init", "--quiet");
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--message", "The contract");
  return folder;
}

function plant(folder: string, file: string, edits: readonly Edit[]): void {
  const path = join(folder, "spec", file);
  const document = parseDocument(readFileSync(path, "utf8"));
  for (const edit of edits) edit(document);
  writeFileSync(path, document.toString());
}

interface Output {
  code: number;
  out: string;
  error: string;
}

async function diff(folder: string, ...args: string[]): Promise<Output> {
  const output = { out: "", error: "" };
  const code = await main(["--spec", join(folder, "spec"), ...args], {
    out: (text) => {
      output.out += text;
    },
    error: (text) => {
      output.error += text;
    },
  });
  return { code, ...output };
}

function breakingIn(documents: readonly ComparedDocument[]): string[] {
  return documents.flatMap(({ document, changes }) =>
    changes
      .filter(({ kind }) => kind === "breaking")
      .map(
        ({ breaks, place, message }) =>
          `${document.split(".")[0]}: ${breaks.join(" and ")} | ${place} | ${message}`,
      ),
  );
}

describe("contract:diff on breaking changes", () => {
  let output: Output;
  let found: string[];

  beforeAll(async () => {
    const folder = repository();
    for (const { file, edits } of SEEDS) plant(folder, file, edits);
    output = await diff(folder, "--json");
    found = breakingIn(JSON.parse(output.out).documents);
  });

  it.each(SEEDS)("finds $what", ({ breaking }) => {
    expect(found).toEqual(expect.arrayContaining(breaking));
  });

  it("finds nothing else", () => {
    expect([...found].sort()).toEqual(SEEDS.flatMap(({ breaking }) => breaking).sort());
  });

  it("exits 1, and names the place and the alternative of each", () => {
    expect(output.code).toBe(1);
    const { documents, summary } = JSON.parse(output.out);
    expect(summary).toMatchObject({ breaking: found.length, undeclared: found.length });
    const changes = (documents as ComparedDocument[]).flatMap((document) => document.changes);
    for (const change of changes.filter(({ kind }) => kind === "breaking")) {
      expect(change).toMatchObject({ file: expect.stringMatching(/\.yaml$/), line: expect.any(Number) });
      expect(change.advice).toMatch(/\w\.$/);
    }
  });
});

describe("contract:diff on other changes", () => {
  it("accepts additions, and reports a version that does not declare them", async () => {
    const folder = repository();
    for (const [file, ...edits] of ADDITIONS) plant(folder, file, edits);
    const { code, out } = await diff(folder);
    expect(out).toContain("  addition  /health/started: Path `/health/started` was added.\n");
    expect(out).toContain(
      "  addition  channel integrationWebhook, message shiftMoved: Message `shiftMoved` was added.\n",
    );
    expect(out.match(/note: .*/g)).toEqual([
      expect.stringMatching(/set info\.version to 3\.1\.0 in .*platform\.openapi\.yaml/),
    ]);
    expect(out).toMatch(/\n0 breaking, 6 additions, 2 of wording\n$/);
    expect(code).toBe(0);
  });

  it("rates a new branch of an open union as an addition, and of a closed one as breaking", async () => {
    const folder = repository();
    const [file, event, excluded, branch] = NEW_EVENT;
    if (!event || !excluded || !branch) throw new Error("the event needs three edits");
    plant(folder, file, [event, excluded, branch]);
    const open = await diff(folder);
    expect([open.code, open.out]).toEqual([0, expect.stringMatching(/addition .*`WebhookEvent` was added/)]);
    const other = repository();
    // The branch for unknown names accepts it as well, so readers cannot distinguish them.
    plant(other, file, [event, branch]);
    expect((await diff(other)).code).toBe(1);
  });

  it("names deprecations, headers, defaults, and what a provider should send", async () => {
    const folder = repository();
    for (const [file, ...edits] of REPORTED) plant(folder, file, edits);
    const { code, out } = await diff(folder);
    expect(code).toBe(0);
    expect(out).toContain("  notice    GET /roles: It is deprecated.\n");
    expect(out).toContain("  addition  GET /outlets: Header `X-Total` was added.\n");
    expect(out).toMatch(/ {2}notice {4}GET \/\S+: `default` of `limit` changed from 50 to 17\.\n/);
    expect(out).toContain(
      "  advice    to providers, CompleteShiftVariantA: `required` of `CompleteShiftVariantA` gained createdAt.\n",
    );
    expect(out).toMatch(/\n0 breaking, 1 addition, 2 notices, 1 of advice, 0 of wording\n$/);
  });

  it("accepts a breaking change that a new major version declares", async () => {
    const folder = repository();
    plant(folder, PLATFORM, [drop(["paths", "/health/ready"]), put(["info", "version"], "4.0.0")]);
    const { code, out } = await diff(folder);
    expect(out).toContain(
      "platform.openapi.yaml  3.0.0 -> 4.0.0\n  BREAKING  for providers: /health/ready\n",
    );
    expect(out).toMatch(/\n1 breaking \(0 undeclared\), 0 additions, \d+ of wording\n$/);
    expect(code).toBe(0);
  });

  it("takes a schema for advice only if it says which one it completes", async () => {
    const folder = repository();
    const path = ["components", "schemas", "CompleteShiftVariantA"];
    plant(folder, PROVIDER, [drop([...path, "x-completes"])]);
    git(folder, "commit", "--all", "--quiet", "--message", "A schema of that name");
    plant(folder, PROVIDER, [add([...path, "required"], "createdAt")]);
    const { out } = await diff(folder);
    expect(out).toMatch(/\n0 breaking, 0 additions, 1 of wording\n$/);
  });

  it("compares with the given revision, the last tag, or the last commit", async () => {
    const folder = repository();
    rmSync(join(folder, "spec", OPERATIONS));
    git(folder, "commit", "--all", "--quiet", "--message", "Without the operations API");
    expect(await diff(folder)).toMatchObject({ code: 0, out: expect.stringContaining("(the last commit)") });
    const since = await diff(folder, "--base", "HEAD~1");
    expect(since.out).toContain(
      "BREAKING  for callers of the operations API and the platform: the document\n",
    );
    expect(since.code).toBe(1);
    git(folder, "tag", "v1", "HEAD~1");
    expect(await diff(folder)).toMatchObject({ code: 1, out: expect.stringContaining("(tag v1)") });
  });
});

describe("contract:diff without a comparison", () => {
  it.each([
    [
      "an unknown revision",
      ["--base", "nowhere"],
      "nowhere is not a revision: give a commit, a tag or a branch",
    ],
    ["an unknown option", ["--basis", "HEAD"], "Unknown option '--basis'"],
  ])("exits 2 on %s", async (_, args, line) => {
    expect(await diff(repository(), ...args)).toEqual({
      code: 2,
      out: "",
      error: expect.stringContaining(line),
    });
  });

  it("exits 2 outside of a repository, and without the documents", async () => {
    const folder = emptyFolder();
    expect(await diff(folder)).toMatchObject({
      code: 2,
      error: expect.stringContaining("There is no folder"),
    });
    mkdirSync(join(folder, "spec"));
    expect(await diff(folder)).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^[^\n]*git repository[^\n]*\n$/),
    });
  });

  it("exits 2 on a document whose parties are unknown", async () => {
    const folder = repository();
    writeFileSync(join(folder, "spec", "staff.openapi.yaml"), "openapi: 3.1.0\n");
    expect(await diff(folder)).toMatchObject({
      code: 2,
      error: expect.stringContaining("staff.openapi.yaml"),
    });
  });
});

describe("the version rule", () => {
  const change = { breaks: [], place: "", message: "", file: "", line: 1, pointer: "#" };

  it.each([
    ["3.0.0", "3.0.1", "wording", { kind: "fits" }],
    ["3.0.0", "3.0.1", "addition", { kind: "addition-not-declared", version: "3.1.0" }],
    ["3.1.4", "3.2.0", "addition", { kind: "fits" }],
    ["3.1.4", "4.0.0", "addition", { kind: "fits" }],
    ["3.1.4", "3.2.0", "breaking", { kind: "undeclared", version: "4.0.0", breaking: 1 }],
    ["3.1.4", "4.0.0", "breaking", { kind: "fits" }],
    ["3.1.4", "2.0.0", "breaking", { kind: "undeclared", version: "4.0.0", breaking: 1 }],
  ] as const)("%s -> %s with a change of kind %s", (base, revision, kind, verdict) => {
    const changes = [{ ...change, kind }];
    expect(versionVerdict({ document: "a.openapi.yaml", version: { base, revision }, changes })).toEqual(
      verdict,
    );
  });

  it("refuses an invalid version", () => {
    const version = { base: "3.0.0", revision: "next" };
    const check = () => versionVerdict({ document: "a.openapi.yaml", version, changes: [] });
    expect(check).toThrow('info.version of a.openapi.yaml is "next": write it as major.minor.patch');
  });
});
