import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import extractOptions from "dependency-cruiser/config-utl/extract-depcruise-options";
import { afterAll, describe, expect, it } from "vitest";
import published from "./testdata/personal-numbers.json" with { type: "json" };

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** One line a violation: `rule: from -> to`. */
async function violations(baseDir: string, folders: string[]): Promise<string[]> {
  const options = await extractOptions(join(ROOT, ".dependency-cruiser.cjs"));
  const { output } = await cruise(folders, { ...options, baseDir });
  return (output as ICruiseResult).summary.violations.map(({ rule, from, to, cycle }) => {
    const path = cycle ? cycle.map((step) => step.name).join(" -> ") : to;
    return `${rule.name}: ${from} -> ${path}`;
  });
}

function filesIn(folder: string): string[] {
  const entries = readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length));
}

/** The places that match, as `file:line`; never the text, which may be what must not be shown. */
function matches(files: string[], forbidden: (line: string) => boolean): string[] {
  return files.flatMap((file) =>
    readFileSync(join(ROOT, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (forbidden(line) ? [`${file}:${index + 1}`] : [])),
  );
}

/** Their tests go through the whole program, or test what is no folder of the source; `harness` tests its helpers. */
const WHOLE = /^test\/(browser|chaos|consumer|deploy|examples|flows|generate|harness|package|pooler)\//;

/** Returns the test files whose folder has no folder of `src` or `scripts` with the same name. */
function misplaced(files: string[]): string[] {
  const tested = (file: string) => {
    const folder = dirname(file).replace(/^test\/?/, "");
    return join(ROOT, folder.startsWith("scripts") ? "" : "src", folder);
  };
  const tests = files.filter((file) => file.startsWith("test/") && file.endsWith(".test.ts"));
  return tests.filter((file) => !WHOLE.test(file) && !existsSync(tested(file)));
}

const present = ["generated", "src", "scripts", "test", "spec", "contracts"].filter((folder) =>
  readdirSync(ROOT).includes(folder),
);
const ours = present.flatMap(filesIn);
const sources = ours.filter((file) => file.startsWith("src/"));

describe("the conventions of the code", () => {
  it("keeps the import direction", async () => {
    const code = present.filter((folder) => folder !== "spec" && folder !== "contracts");
    expect(await violations(ROOT, code)).toEqual([]);
  });

  it("reads process.env only in config and cli", () => {
    const elsewhere = sources.filter(
      (file) => !/(^|[.])config[.]ts$/.test(basename(file)) && !file.startsWith("src/cli/"),
    );
    expect(matches(elsewhere, (line) => /\bprocess\s*\.\s*env\b/.test(line))).toEqual([]);
  });

  it("writes to stdout only in cli, reporters and scripts", () => {
    const elsewhere = sources.filter((file) => !file.startsWith("src/cli/") && !file.includes("/reporters/"));
    expect(
      matches(elsewhere, (line) => /\bconsole\s*\.\s*log\b|\bprocess\s*\.\s*stdout\b/.test(line)),
    ).toEqual([]);
  });

  it("names a file or folder of src after what it does", () => {
    const vague = /^(utils?|lib|helpers?|common|manager|service)$/i;
    const parts = (file: string) => [...dirname(file).split("/"), basename(file).replace(/\..*$/, "")];
    expect(sources.filter((file) => parts(file).some((part) => vague.test(part)))).toEqual([]);
  });

  it("keeps a test in the folder that has the name of what it tests", () => {
    const strays = ["test/platform/bookings/seats.test.ts", "test/scripts/deploys/files.test.ts"];
    expect(misplaced([...strays, "test/platform/jobs/seats.test.ts"])).toEqual(strays);
    expect(misplaced(ours)).toEqual([]);
  });

  it("holds no marker of a merge conflict", () => {
    const isMarker = (line: string) => /^(<{7}|>{7})( |$)/.test(line);
    expect(matches(["README.md", "CHANGELOG.md", ...ours], isMarker)).toEqual([]);
    expect([`${"<".repeat(7)} HEAD`, ">".repeat(7)].every(isMarker)).toBe(true);
  });

  it("holds no personal number but those that were published for tests", () => {
    const allowed = new Set([
      ...published.personnummer,
      ...published.coordinationNumbers,
      ...published.invalid,
    ]);
    const token = /(?<![\w-])(?:18|19|20)\d{6}-?\d{4}(?![\w-])/g;
    const unpublished = (line: string) =>
      [...line.matchAll(token)].some(([number]) => !allowed.has(number.replace("-", "")));
    const written = ours.filter((file) => !file.startsWith("generated/") && !file.startsWith("scripts/"));
    expect(matches(written, unpublished)).toEqual([]);
  });
});

/** Rule, importing file, what it imports (relative to the tree's top, or a package). */
const BROKEN: ReadonlyArray<readonly [string, string, string]> = [
  ["layer-generated", "generated/provider/client.ts", "src/contract/shift.ts"],
  ["layer-contract", "src/contract/problem.ts", "src/clients/policy.ts"],
  ["layer-clients", "src/clients/webhook.ts", "src/platform/deps.ts"],
  ["layer-platform", "src/platform/jobs/sync.ts", "src/sandbox/store.ts"],
  ["layer-platform", "src/platform/jobs/types.ts", "type src/verify/target.ts"],
  ["layer-sandbox", "src/sandbox/server.ts", "src/verify/target.ts"],
  ["layer-verify", "src/verify/run.ts", "src/sandbox/store.ts"],
  ["layer-console", "src/console/view.tsx", "src/platform/deps.ts"],
  ["layer-console", "src/console/page.tsx", "generated/provider/types.ts"],
  ["layer-cli", "src/cli/verify.ts", "scripts/generate.ts"],
  ["layer-index", "src/index.ts", "src/verify/target.ts"],
  ["layer-emit", "scripts/emit/paths.ts", "src/contract/shift.ts"],
  ["layer-scripts", "scripts/chaos/load.ts", "test/flows/model.ts"],
  ["layer-harness", "test/harness/faults.ts", "test/flows/model.ts"],
  ["layer-test", "test/platform/jobs.test.ts", "scripts/generate.ts"],
  ["helper-test", "test/sandbox/faults.ts", "test/flows/model.ts"],
  ["helper-platform", "test/platform/db/rows.ts", "test/platform/work/model.ts"],
  ["platform-main", "src/platform/http/start.ts", "src/platform/main.ts"],
  ["platform-app", "src/platform/inbox/process.ts", "src/platform/app.ts"],
  ["platform-http", "src/platform/bookings/accept.ts", "src/platform/http/router.ts"],
  ["platform-http", "src/platform/config.ts", "src/platform/http/router.ts"],
  ["platform-features", "src/platform/db/open.ts", "src/platform/jobs/match.ts"],
  ["platform-features", "src/platform/work/tasks.ts", "src/platform/jobs/match.ts"],
  ["platform-features", "src/platform/transaction.ts", "src/platform/jobs/match.ts"],
  ["platform-features", "src/platform/work/signs.ts", "src/platform/issues.ts"],
  ["platform-db", "src/platform/db/close.ts", "src/platform/work/loop.ts"],
  ["plan-is-pure", "src/platform/shifts/plan/load.ts", "src/platform/issues.ts"],
  ["plan-is-pure", "src/platform/shifts/plan/rows.ts", "ajv"],
  ["drivers-only-in-db", "src/platform/work/pool.ts", "pg"],
  ["drivers-only-in-db", "src/platform/inbox/rows.ts", "type @electric-sql/pglite"],
  ["no-dev-dependency", "src/clients/replay.ts", "a-dev-tool"],
  ["no-undeclared-package", "src/verify/report.ts", "a-stowaway"],
  ["no-circular", "src/contract/hen.ts", "type src/contract/the-egg.ts"],
  ["no-unresolvable", "src/contract/lost.ts", "src/contract/nowhere.ts"],
  ["no-orphans", "src/contract/forgotten.ts", ""],
];

const SOUND: ReadonlyArray<readonly [string, string]> = [
  ["src/contract/dialect.ts", "generated/provider/types.ts"],
  ["src/contract/the-egg.ts", "src/contract/hen.ts"],
  ["src/clients/provider.ts", "src/contract/shift.ts"],
  ["src/platform/start.ts", "src/clients/policy.ts"],
  ["src/platform/main.ts", "src/platform/app.ts"],
  ["src/platform/app.ts", "src/platform/http/router.ts"],
  ["src/platform/http/router.ts", "src/platform/jobs/match.ts"],
  ["src/platform/jobs/match.ts", "src/platform/work/loop.ts"],
  ["src/platform/work/loop.ts", "src/platform/db/schema.ts"],
  ["src/platform/work/rows.ts", "src/platform/deps.ts"],
  ["src/platform/shifts/plan/state.ts", "type src/platform/db/schema.ts"],
  ["src/platform/db/driver.ts", "pg"],
  ["src/console/jobs.tsx", "generated/operations/client.ts"],
  ["src/cli/platform.ts", "src/platform/main.ts"],
  ["scripts/bench/acknowledge.ts", "src/platform/app.ts"],
  ["scripts/chaos/kill.ts", "test/harness/server.ts"],
  ["test/jobs.test.ts", "src/platform/jobs/match.ts"],
  ["test/platform/work/claims.test.ts", "test/platform/work/model.ts"],
  ["test/flows/trace.test.ts", "test/harness/server.ts"],
  ["test/scripts/generate.test.ts", "scripts/generate.ts"],
];

/** No file imports itself in a circle; the folders do, by way of a third. */
const CIRCULAR: ReadonlyArray<readonly [string, string]> = [
  ["src/platform/hens/lay.ts", "src/platform/eggs/shell.ts"],
  ["src/platform/eggs/hatch.ts", "type src/platform/chicks/down.ts"],
  ["src/platform/chicks/grow.ts", "src/platform/hens/feather.ts"],
  ["src/cli/hens.ts", "src/platform/hens/lay.ts"],
  ["src/cli/eggs.ts", "src/platform/eggs/hatch.ts"],
  ["src/cli/chicks.ts", "src/platform/chicks/grow.ts"],
  ["src/platform/hens/feather.ts", "ajv"],
  ["src/platform/eggs/shell.ts", "ajv"],
  ["src/platform/chicks/down.ts", "ajv"],
];

/** Files that others import and that import a declared package. */
const LEAVES = [
  "generated/provider/types.ts",
  "generated/operations/client.ts",
  "scripts/generate.ts",
  "src/clients/policy.ts",
  "src/contract/shift.ts",
  "src/platform/db/schema.ts",
  "src/platform/deps.ts",
  "src/platform/issues.ts",
  "src/sandbox/store.ts",
  "src/verify/target.ts",
  "test/flows/model.ts",
  "test/harness/server.ts",
  "test/platform/work/model.ts",
];

function importLine(from: string, to: string): string {
  const target = to.replace(/^type /, "");
  const depth = "../".repeat(from.split("/").length - 1);
  const path = /^(generated|src|scripts|test)\//.test(target) ? `${depth}${target}` : target;
  if (target === "") return "export const alone = 1;\n";
  return to === target
    ? `import { x } from "${path}";\nexport const y = x;\n`
    : `import type { X } from "${path}";\nexport type Y = X;\n`;
}

describe("the import rules", () => {
  const tree = mkdtempSync(join(tmpdir(), "conventions-"));
  afterAll(() => rmSync(tree, { recursive: true }));

  function write(path: string, text: string): void {
    mkdirSync(join(tree, dirname(path)), { recursive: true });
    writeFileSync(join(tree, path), text);
  }

  function plant(): void {
    const dependencies = { pg: "1.0.0", "@electric-sql/pglite": "1.0.0", ajv: "1.0.0" };
    write("package.json", JSON.stringify({ dependencies, devDependencies: { "a-dev-tool": "1.0.0" } }));
    for (const name of [...Object.keys(dependencies), "a-dev-tool", "a-stowaway"]) {
      write(
        `node_modules/${name}/package.json`,
        JSON.stringify({ name, version: "1.0.0", main: "index.js" }),
      );
      write(`node_modules/${name}/index.js`, "export const x = 1;\n");
    }
    for (const leaf of LEAVES) write(leaf, importLine(leaf, "ajv"));
    for (const [from, to] of SOUND) write(from, importLine(from, to));
    for (const [, from, to] of BROKEN) write(from, importLine(from, to));
  }

  it("report each import that breaks one, and no other", async () => {
    plant();
    const found = await violations(tree, ["generated", "src", "scripts", "test"]);
    const places = found.map((line) => line.slice(0, line.indexOf(" -> ")));
    for (const [rule, from] of BROKEN) expect(places).toContain(`${rule}: ${from}`);
    const broken = new Set(BROKEN.map(([, from]) => from));
    const others = places.filter((place) => !place.startsWith("no-folder-cycle: "));
    expect(others.filter((place) => !broken.has(place.split(": ")[1] ?? ""))).toEqual([]);
  });

  it("report features of the platform whose folders import each other in a circle", async () => {
    for (const [from, to] of CIRCULAR) write(`apart/${from}`, importLine(from, to));
    const places = await violations(join(tree, "apart"), ["src"]);
    const cycles = places.filter((place) => !place.startsWith("no-un"));
    expect(cycles.map((place) => place.slice(0, place.indexOf(" -> ")))).toEqual(
      ["chicks", "eggs", "hens"].map((name) => `no-folder-cycle: src/platform/${name}`),
    );
  });
});
