import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire, isBuiltin } from "node:module";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { createClient } from "../../generated/operations/client.ts";
import manifest from "../../package.json" with { type: "json" };
import { freePort } from "../harness/embedded-postgres.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };
import { CONSUMER, LOADS, TSCONFIG } from "./consumer.ts";
import { filesBelow, type Installed, PACKAGE_CHECKS, type Packed, packAll } from "./installed.ts";

const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");

/** The packages of a TypeScript project that implements the stubs. */
const EXPRESS = ["express", "@types/express", "@types/node"].map(
  (name) => `${name}@${manifest.devDependencies[name as keyof typeof manifest.devDependencies]}`,
);

/** The limit of a build, which compiles all of src, on a busy machine. Milliseconds. */
const TIMEOUT_MS = 180_000;

let packed: Packed;
/** Both packages, in a project with Express. */
let installed: Installed;
/** The package `shiftpact` alone. */
let alone: Installed;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  packed = await packAll();
  const { shiftpact, platform } = packed;
  alone = await packed.install(shiftpact);
  installed = await packed.install(shiftpact, platform, ...EXPRESS);
  for (const { folder } of [alone, installed])
    await promisify(execFile)("npm", ["pkg", "set", "type=module"], { cwd: folder });
}, TIMEOUT_MS);
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  packed?.remove();
});

const start = (command: string, ...argv: string[]) => startWith({}, command, ...argv);

function startWith(more: NodeJS.ProcessEnv, command: string, ...argv: string[]) {
  return startIn(installed, more, command, ...argv);
}

function startIn({ folder, env }: Installed, more: NodeJS.ProcessEnv, command: string, ...argv: string[]) {
  const child = spawn(command, argv, {
    cwd: folder,
    env: { ...env, ...more },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  child.once("close", () => children.delete(child));
  let out = "";
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  const ended = Promise.all([once(child, "close"), text(child.stderr)]).then(([[code], err]) => {
    return { code, out, err };
  });
  const until = async (expression: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const match = expression.exec(out);
      if (match) return match;
      const end = await Promise.race([once(child.stdout, "data").then(() => undefined), ended]);
      if (end && !expression.test(out)) throw new Error(`${command} ended early: ${JSON.stringify(end)}`);
    }
  };
  return { child, ended, until };
}

const run = (command: string, ...argv: string[]) => start(command, ...argv).ended;

function write(name: string, content: string): void {
  writeFileSync(join(installed.folder, name), content);
}

/** Returns the packages that compiled modules import at run time. */
function imported(): Set<string> {
  const specifier = /\b(?:from|import) *\(?"((?:@[\w.-]+\/)?\w[\w.:-]*)[^"\n]*"/g;
  const names = installed.files
    .filter((file) => /^dist\/(?:src|generated)\//.test(file) && file.endsWith(".js"))
    .flatMap((file) => [...readFileSync(join(installed.path, file), "utf8").matchAll(specifier)])
    .map(([, name = ""]) => name);
  return new Set(names.filter((name) => !isBuiltin(name)));
}

describe("the packed package", () => {
  it("holds the build, the documents and the contracts, and no sources", () => {
    const folders = new Set(installed.files.map((file) => file.split("/").slice(0, 2).join("/")));
    expect([...folders].filter((each) => !/^(spec|contracts)\//.test(each)).sort()).toEqual([
      "CHANGELOG.md",
      "LICENSE",
      "README.md",
      "dist/generated",
      "dist/kit",
      "dist/src",
      "generated/spec",
      "package.json",
    ]);
    const others = installed.files.filter((file) => !/(?:\.js|\.js\.map|\.d\.ts)$/.test(file));
    expect(others.filter((file) => file.startsWith("dist/"))).toEqual([
      "dist/kit/THIRD-PARTY-NOTICES.txt",
      "dist/kit/bom.cdx.json",
    ]);
    expect(installed.files).toContain("contracts/shiftpact-platform--scheduling-provider.events.json");
    expect(installed.files).toContain("spec/schemas/events.yaml");
    expect(installed.files).toContain("spec/flows.arazzo.yaml");
    expect(installed.files).toContain("dist/src/index.js.map");
    expect(installed.files).toContain("generated/spec/provider.openapi-3.0.yaml");
  });

  it("includes the licences of its bundled packages, and a bill of materials", () => {
    const notices = readFileSync(join(installed.path, "dist/kit/THIRD-PARTY-NOTICES.txt"), "utf8");
    const bill = JSON.parse(readFileSync(join(installed.path, "dist/kit/bom.cdx.json"), "utf8"));
    for (const name of ["express", "yaml", "@pactflow/openapi-pact-comparator"]) {
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT|ISC\\)$`, "m"));
      const purl = expect.stringContaining(`pkg:npm/${name.replace("@", "%40")}@`);
      expect(bill.components).toContainEqual(expect.objectContaining({ name, purl }));
    }
    expect(notices).not.toContain("fast-check");
  });

  it("holds a console whose first load is under 100 kB compressed", () => {
    const console = join(installed.folder, "node_modules/@shiftpact/platform/console");
    const files = filesBelow(console);
    expect(files.some((file) => file.endsWith(".js"))).toBe(true);
    const page = readFileSync(join(console, "index.html"), "utf8");
    const loaded = files.filter((file) => file === "index.html" || page.includes(`/${file}`));
    expect(loaded.length).toBeGreaterThan(2);
    const sizes = loaded.map((file) => gzipSync(readFileSync(join(console, file))).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
  });

  it("declares every package that it imports", () => {
    const { dependencies, peerDependencies } = installed.manifest;
    const declared = Object.keys({ ...dependencies, ...peerDependencies });
    expect([...imported()].filter((name) => !declared.includes(name))).toEqual([]);
    // The stubs' declarations need it.
    expect(declared.filter((name) => !imported().has(name))).toEqual(["@types/express"]);
  });
});

describe("a check of published packages finds no fault:", () => {
  const check = async (name: keyof typeof PACKAGE_CHECKS, command: string, ...argv: string[]) => {
    const tool = ["exec", "--yes", `--package=${name}@${PACKAGE_CHECKS[name]}`, "--", command];
    const { code, out, err } = await run("npm", ...tool, ...argv);
    return { code, output: `${out}${err}` };
  };

  it("publint of both", async () => {
    for (const tarball of [packed.shiftpact, packed.platform]) {
      const { code, output } = await check("publint", "publint", tarball, "--strict");
      expect([code, output]).toEqual([0, expect.stringContaining("All good!")]);
    }
  });

  it("Are the types wrong? of the library, which is ESM alone", async () => {
    const { code, output } = await check(
      "@arethetypeswrong/cli",
      "attw",
      packed.shiftpact,
      "--profile",
      "esm-only",
    );
    expect([code, output]).toEqual([0, expect.stringContaining("shiftpact/provider/server")]);
  });
});

describe("an installation of shiftpact alone", () => {
  /** Returns the folders of packages, including nested ones. */
  const packagesOf = ({ folder }: Installed) =>
    Object.keys(
      JSON.parse(readFileSync(join(folder, "node_modules/.package-lock.json"), "utf8")).packages,
    ).map((path) => join(folder, path));

  it("installs at most 15 packages and 10 MB, and runs no script", () => {
    const packages = packagesOf(alone);
    const sizes = filesBelow(join(alone.folder, "node_modules")).map(
      (file) => statSync(join(alone.folder, "node_modules", file)).size,
    );
    expect(packages.length).toBeGreaterThan(3);
    expect(packages.length).toBeLessThanOrEqual(15);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(10_000_000);
    const scripted = packages.filter((folder) => {
      const { scripts = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
      return ["preinstall", "install", "postinstall"].some((name) => name in scripts);
    });
    expect(scripted).toEqual([]);
  });

  it("compiles without Express, and without the types of Node", async () => {
    const consumer = `
import { createProviderClient, type Shift } from "shiftpact";
import { messages } from "shiftpact/events";
import type { Job } from "shiftpact/operations";
import { createClient, isShift, type Shift as ShiftBody } from "shiftpact/provider";
import { type Finding, verify, type VerifyOptions } from "shiftpact/verify";
export const read = async (): Promise<ShiftBody | undefined> => {
  const { status, data } = await createClient().getShift({ params: { path: { shiftId: "1" } } });
  return status === 200 && isShift(data) ? data : undefined;
};
export const shift = async (): Promise<Shift | undefined> => {
  const answer = await createProviderClient({ baseUrl: "", providerId: "", token: "" }).getShift("1", { traceId: "1" });
  return answer.kind === "shift" ? answer.shift : undefined;
};
export const findingsOf = async (options: VerifyOptions): Promise<readonly Finding[]> => (await verify(options)).findings;
export const idOf = ({ jobId }: Job): string => jobId;
console.log(messages);
`;
    const { compilerOptions } = TSCONFIG;
    const lib = ["ES2024", "DOM", "DOM.Iterable"];
    const config = { compilerOptions: { ...compilerOptions, types: [], lib }, files: ["consumer.ts"] };
    writeFileSync(join(alone.folder, "tsconfig.json"), JSON.stringify(config));
    writeFileSync(join(alone.folder, "consumer.ts"), consumer);
    const compiled = await startIn(alone, {}, process.execPath, TSC, "-p", ".").ended;
    expect(compiled).toEqual({ code: 0, out: "", err: "" });
  });

  it("does not install Pact's native library with the platform either", () => {
    const packages = packagesOf(installed);
    expect(packages.length).toBeGreaterThan(50);
    expect(packages.filter((folder) => /@pact-foundation|@scarf/.test(folder))).toEqual([]);
  });

  it("names the package that runs the platform", async () => {
    expect(existsSync(join(alone.folder, "node_modules/@shiftpact"))).toBe(false);
    expect(await startIn(alone, {}, "shiftpact", "platform", "--port", "0").ended).toEqual({
      code: 2,
      out: "",
      err: "shiftpact platform: the platform is a separate package: install it beside shiftpact (README, Install)\n",
    });
  });
});

describe("a project with Express 4 and its types", () => {
  it("installs it, and uses all of it but the stubs", async () => {
    const beside = await packed.install(packed.shiftpact, "express@4", "@types/express@4");
    const script = `
      const { createClient } = await import("shiftpact/provider");
      const { createRouter } = await import("shiftpact/provider/server");
      console.log(typeof createClient().getShift);
      createRouter({ handlers: {}, authenticate() {} });`;
    writeFileSync(join(beside.folder, "uses.mjs"), script);
    const { out, err } = await startIn(beside, {}, process.execPath, "uses.mjs").ended;
    expect(out).toBe("function\n");
    expect(err).toContain("The generated stub needs Express 5, and found Express 4.");
  });
});

describe("a project that installs it", () => {
  it("compiles against every export, and runs", async () => {
    write("tsconfig.json", JSON.stringify(TSCONFIG));
    write("consumer.ts", CONSUMER);
    expect(await run(process.execPath, TSC, "-p", ".")).toEqual({ code: 0, out: "", err: "" });
    const { code, out, err } = await run(process.execPath, "consumer.ts");
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toEqual({
      answer: "shift",
      positions: 2,
      spec: "openapi: 3.1.0",
      schema: true,
      reads: [
        { status: 200, positions: 2, isShift: true },
        { status: 404, error: "shift_not_found" },
      ],
      delivery: { delivered: true, tries: 1 },
      received: ["tempo shift.create"],
      events: [true, ["shift.create", "shift.update", "shift.delete"]],
      operations: "function",
      document: true,
      verify: ["function", "function", true, "reachability", "t"],
      contract: "scheduling-provider",
    });
  });

  it("loads Express for a stub only", async () => {
    write("loads.mjs", LOADS);
    const entries = [
      "/events",
      "",
      "/provider",
      "/platform",
      "/operations",
      "/verify",
      "/node",
      "/provider/server",
    ];
    const modules = entries.map((each) => `shiftpact${each}`);
    const { out, err } = await run(process.execPath, "loads.mjs", ...modules);
    expect(err).toBe("");
    const { dependencies, peerDependencies } = installed.manifest;
    const own = (_: string, value: unknown) =>
      Array.isArray(value) ? value.filter((name) => name in { ...dependencies, ...peerDependencies }) : value;
    expect(JSON.parse(out, own)).toEqual({
      "shiftpact/events": [],
      shiftpact: ["openapi-fetch"],
      "shiftpact/provider": [],
      "shiftpact/platform": [],
      "shiftpact/operations": ["eventsource-parser"],
      "shiftpact/verify": ["undici"],
      "shiftpact/node": [],
      "shiftpact/provider/server": ["express"],
    });
  });
});

/** Returns the size of a minified bundle of one import. Bytes. */
async function bundled(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: installed.folder },
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    format: "esm",
    logLevel: "silent",
  });
  return outputFiles[0]?.contents.length ?? Number.POSITIVE_INFINITY;
}

describe("a bundle", () => {
  it.each([
    ['import { createClient } from "shiftpact/provider/client"; console.log(createClient);', 12],
    ['import { createClient } from "shiftpact/provider"; console.log(createClient);', 12],
    ['import { createProviderClient } from "shiftpact"; console.log(createProviderClient);', 100],
    ['import { createWebhookClient } from "shiftpact"; console.log(createWebhookClient);', 20],
    ['import { isShift } from "shiftpact/provider"; console.log(isShift);', 30],
    ['import { readTimestamp } from "shiftpact"; console.log(readTimestamp);', 5],
  ])("contains only the used part of the package: %s", async (contents, kilobytes) => {
    expect(await bundled(contents)).toBeLessThan(kilobytes * 1_000);
  });
});

/** Starts the installed sandbox with one shift. Returns its printed settings. */
async function provider(...flags: string[]) {
  const sandbox = start("shiftpact", "sandbox", "--port", "0", "--shift", "1", ...flags);
  const [, url = ""] = await sandbox.until(/listens on (\S+)/);
  const [, providerId = ""] = await sandbox.until(/providerId +(\S+)/);
  const [, token = ""] = await sandbox.until(/PROVIDER_TOKEN +(\S+)/);
  const [, shiftId = ""] = await sandbox.until(/shift +([\w-]+)\n/);
  return { sandbox, url, providerId, token, shiftId };
}

describe("the installed command", () => {
  it.each(["--help", "sandbox --help", "verify --help", "platform --help"])(
    "explains itself: %s",
    async (argv) => {
      const { code, out, err } = await run("shiftpact", ...argv.split(" "));
      expect([code, err]).toEqual([0, ""]);
      expect(out).toMatch(/^shiftpact .*\n\n/);
    },
  );

  it("runs a provider and verifies it", async () => {
    const { sandbox, url, providerId, token, shiftId } = await provider();
    const flags = ["--provider-id", providerId, "--token", token, "--shift-id", shiftId];
    const { code, out, err } = await run(
      "shiftpact",
      "verify",
      url,
      ...flags,
      "--allow-incomplete",
      "--json",
    );
    expect(JSON.parse(out.trim().split("\n").at(-1) ?? "")).toMatchObject({
      summary: { verdict: "incomplete", errors: 0 },
    });
    expect([code, err]).toEqual([0, ""]);
    sandbox.child.kill("SIGTERM");
    expect(await sandbox.ended).toMatchObject({ code: 0, err: "" });
  });

  it("of the platform prints its help", async () => {
    const { code, out, err } = await run("shiftpact-platform", "--help");
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/^shiftpact platform: /);
  });

  it("runs the platform until it is stopped", async () => {
    const data = join(installed.folder, "data");
    mkdirSync(data);
    cpSync(inject("pgliteTemplate"), join(data, "database"), { recursive: true });
    const platform = start("shiftpact", "platform", "--port", "0", "--data", data);
    const [, port] = await platform.until(/\{"listening":true,"port":(\d+)\}/);
    for (const path of ["/health/ready", "/console/", "/docs/search.html", "/docs/provider.html"]) {
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(200);
    }
    platform.child.kill("SIGTERM");
    expect(await platform.ended).toMatchObject({ code: 0 });
  });
});

const EXAMPLES = new URL("../examples/", import.meta.url);

/** Copies the file unchanged, as a reader of the examples does. */
function copyExample(name: string): string {
  const text = readFileSync(new URL(name, EXAMPLES), "utf8");
  write(name, text);
  return text;
}

/** Returns the commands of the job, one after the other in one shell, on a free port. */
function scriptOf(job: string, port: number): string {
  const { env, steps }: { env: Record<string, string>; steps: { name?: string; run?: string }[] } =
    parse(job).jobs.verify;
  const exports = Object.entries(env).map(([name, value]) => `export ${name}='${value}'`);
  const commands = steps.flatMap(({ name, run }) => (name !== undefined && run ? [run] : []));
  expect(commands).toHaveLength(2);
  return ["set -e", "trap 'kill %1' EXIT", ...exports, ...commands]
    .join("\n")
    .replaceAll("8080", String(port));
}

describe("the examples", () => {
  it("compile against the package", async () => {
    const files = ["provider.ts", "staff-shifts.ts"];
    for (const name of files) copyExample(name);
    write("tsconfig.json", JSON.stringify({ ...TSCONFIG, files }));
    expect(await run(process.execPath, TSC, "-p", ".")).toEqual({ code: 0, out: "", err: "" });
  });

  it("include a provider of fewer than 150 lines, which passes its CI job", async () => {
    expect(copyExample("provider.ts").split("\n").length).toBeLessThan(150);
    const script = scriptOf(copyExample("provider-ci.yml"), await freePort());
    const { code, out } = await run("bash", "-c", script);
    expect(out).toMatch(/conforms: 0 errors, 0 warnings/);
    expect(code).toBe(0);
  });

  it("include a script that staffs the shifts of that provider", async () => {
    for (const name of ["provider.ts", "staff-shifts.ts"]) copyExample(name);
    const OPERATIONS_TOKEN = "operations-token-of-the-example";
    const data = join(installed.folder, "data-of-the-example");
    cpSync(inject("pgliteTemplate"), join(data, "database"), { recursive: true });
    const platform = startWith(
      { OPERATIONS_TOKEN, ALLOW_INSECURE_PROVIDERS: "1" },
      "shiftpact",
      "platform",
      "--port",
      "0",
      "--data",
      data,
    );
    const [, platformPort] = await platform.until(/\{"listening":true,"port":(\d+)\}/);
    const PLATFORM_URL = `http://127.0.0.1:${platformPort}`;
    const [PORT, providerId] = [String(await freePort()), randomUUID()];
    const operations = createClient({
      baseUrl: `${PLATFORM_URL}/operations/v1`,
      headers: { Authorization: `Bearer ${OPERATIONS_TOKEN}` },
    });
    const integration = { providerId, kind: "example", name: "Example", baseUrl: `http://127.0.0.1:${PORT}` };
    const registered = await operations.createIntegration({
      body: { ...integration, routing: "path", providerToken: "token-of-the-example" },
    });
    const PLATFORM_TOKEN = registered.data?.platformToken ?? "";
    await operations.createWorkplace({
      body: { name: "Restaurang Stureplan", address: "Stureplan 2, Stockholm" },
    });
    const { data: waiter } = await operations.createCompetence({ body: { name: "Waiter" } });
    const provider = startWith(
      { PLATFORM_URL, PLATFORM_TOKEN, PORT, PROVIDER_TOKEN: "token-of-the-example", PROVIDER_ID: providerId },
      process.execPath,
      "provider.ts",
    );
    await provider.until(/shiftId/);
    const path = { providerId };
    await operations.discoverIntegration({ params: { path } });
    expect((await operations.activateIntegration({ params: { path } })).response.status).toBe(200);
    // Its threads are modules of their own: both imports and checks would fail without them.
    const { error: absent } = await operations.importRegistry({ params: { path } });
    expect(absent).toMatchObject({ code: "registry_absent" });
    const person = { firstName: "Elin", lastName: "Lind", email: "elin@example.com", phone: "+46701740605" };
    const personalNumber = published.personnummer[3] ?? "";
    const competenceIds = [waiter?.competenceId ?? ""];
    await operations.createCandidate({ body: { ...person, personalNumber, competenceIds } });
    await expect.poll(async () => (await operations.listJobs()).data?.items.length).toBe(1);
    const script = startWith({ PLATFORM_URL, OPERATIONS_TOKEN }, process.execPath, "staff-shifts.ts");
    const { code, out, err } = await script.ended;
    expect([code, err]).toEqual([0, ""]);
    expect(JSON.parse(out)).toMatchObject({ taken: 1, verdict: "open" });
    const [job] = (await operations.listJobs()).data?.items ?? [];
    expect(job?.bookings).toMatchObject([{ status: "confirmed" }]);
    provider.child.kill("SIGTERM");
    platform.child.kill("SIGTERM");
    expect(await platform.ended).toMatchObject({ code: 0 });
  });
});
