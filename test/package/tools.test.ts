import { type ChildProcess, execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { ADA } from "../harness/provider-sandbox.ts";
import { GENERATORS, TOOLS } from "./installed.ts";

const run = promisify(execFile);
const fromRoot = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const DOCUMENTS = fromRoot("generated/spec");
const documents = readdirSync(DOCUMENTS).filter((name) => /api-\d\.\d\.yaml$/.test(name));
const openapi = documents.filter((name) => name.includes("openapi"));

/** The limit for the installation of several hundred packages. Milliseconds. */
const TIMEOUT_MS = 300_000;

let folder: string;
const children = new Set<ChildProcess>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "shiftpact-tools-"));
  write(
    "package.json",
    JSON.stringify({ name: "tools", private: true, type: "module", dependencies: TOOLS }),
  );
  await inFolder("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error");
}, TIMEOUT_MS);
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const environment = () => ({
  ...process.env,
  PATH: `${join(folder, "node_modules/.bin")}:${process.env.PATH}`,
  NO_COLOR: "1",
});

/** Writes a document as `shiftpact spec --format json` does. Returns its path. */
function asJson(document: string): string {
  write("document.json", JSON.stringify(parse(readFileSync(join(DOCUMENTS, document), "utf8"))));
  return join(folder, "document.json");
}

async function inFolder(command: string, ...argv: string[]): Promise<string> {
  const { stdout } = await run(command, argv, { cwd: folder, env: environment(), maxBuffer: 1 << 26 });
  return stdout;
}

const SHIFT = "0c6c2b0e-4a58-4b6b-9c29-0a2f5cf1c9d3";
const PERSON = "7e7d0c9a-92a7-4a30-9f4e-6f3a0a2b9c11";
const PROVIDER = "5b0a4c1e-8f5d-4c55-9d4e-0d8f4f0f2a11";

it("the guide names the tested versions of the tools", () => {
  const guide = readFileSync(fromRoot("spec/guides/tools.md"), "utf8");
  const missing = Object.entries({ ...GENERATORS, ...TOOLS }).filter(
    ([name, version]) => !guide.includes(`\`${name}@${version}\``),
  );
  expect(missing).toEqual([]);
});

describe("Bruno", { timeout: TIMEOUT_MS }, () => {
  it("imports the document, and its calls reach a provider", async () => {
    const sandbox = await startSandbox({ providerId: PROVIDER, dialect: { routing: "path" } });
    await inFolder(
      "bru",
      "import",
      "openapi",
      "--source",
      join(DOCUMENTS, "provider.openapi-3.0.yaml"),
      "--output",
      ".",
      "--collection-name",
      "provider",
    );
    const variables = { baseUrl: sandbox.url, token: sandbox.token };
    const given = Object.entries(variables).flatMap(([name, value]) => ["--env-var", `${name}=${value}`]);
    const argv = ["run", "organisation", "--env", "Environment 1", ...given, "--output", "../calls.json"];
    await run("bru", argv, { cwd: join(folder, "provider"), env: environment() }).finally(() =>
      sandbox.close(),
    );
    const [{ results }] = JSON.parse(readFileSync(join(folder, "calls.json"), "utf8"));
    const calls = results.map(({ name, response }: { name: string; response: { status: number } }) => [
      name,
      response.status,
    ]);
    expect(calls).toEqual(
      expect.arrayContaining([
        ["List the outlets", 200],
        ["List the roles", 200],
      ]),
    );
  });
});

const LANGUAGES = ["go", "java", "csharp", "python", "kotlin", "php"];

/** Compares names in any spelling: `startTime`, `StartTime`, `start_time`. */
const plain = (text: string): string => text.replaceAll("_", "").toLowerCase();

describe("quicktype", { timeout: TIMEOUT_MS }, () => {
  const FIELDS = {
    Shift:
      "id startTime endTime outletId outletName roleId roleName slots numberOfPositions breakMinutes status assignedCandidates",
    CandidateCreate:
      "personalNumber firstName lastName email phone address postCode city countryCode emergencyContact bankDetails documents",
  };

  it.each(LANGUAGES)("creates the types of a shift and of a new candidate: %s", async (language) => {
    for (const [name, fields] of Object.entries(FIELDS)) {
      const source = `${asJson("provider.openapi-3.1.yaml")}#/components/schemas/${name}`;
      const out = plain(
        await inFolder("quicktype", "--lang", language, "--src-lang", "schema", "--top-level", name, source),
      );
      expect(fields.split(" ").filter((field) => !out.includes(plain(field)))).toEqual([]);
    }
  });
});

describe("swagger-parser", { timeout: TIMEOUT_MS }, () => {
  it.each(openapi)("finds no fault in %s", async (name) => {
    write(
      "validate.mjs",
      `import parser from "@apidevtools/swagger-parser";
       const { info } = await parser.validate(process.argv[2]);
       console.log(info.title);`,
    );
    expect(await inFolder(process.execPath, "validate.mjs", join(DOCUMENTS, name))).not.toBe("");
  });
});

describe("openapi-backend", { timeout: TIMEOUT_MS }, () => {
  // It does not support OpenAPI 3.1.
  it.each(openapi.filter((name) => /^provider.*-3\.0/.test(name)))(
    "routes and validates every call: %s",
    async (name) => {
      write(
        "backend.mjs",
        `import { readFileSync } from "node:fs";
       import { OpenAPIBackend } from "openapi-backend";
       const definition = JSON.parse(readFileSync(process.argv[2], "utf8"));
       const api = new OpenAPIBackend({ definition, quick: false, ajvOpts: { strict: false } });
       const refused = [];
       api.register({
         validationFail: ({ validation }) => refused.push(validation.errors),
         notFound: ({ request }) => refused.push(request.path),
         notImplemented: ({ operation, validation }) => operation.operationId,
         unauthorizedHandler: () => "unauthorized",
       });
       for (const scheme of Object.keys(definition.components.securitySchemes)) api.registerSecurityHandler(scheme, () => true);
       await api.init();
       const called = [];
       for (const prefix of ["/providers/${PROVIDER}", ""])
         for (const [method, path, body] of ${JSON.stringify([
           ["GET", `/shifts/${SHIFT}`],
           [
             "PUT",
             `/shifts/${SHIFT}`,
             { startTime: "2027-03-27T22:00:00+01:00", endTime: "2027-03-28T06:00:00+02:00", slots: 2 },
           ],
           ["PUT", `/shifts/${SHIFT}/assign/${PERSON}`],
           ["POST", "/candidates", ADA],
           ["GET", "/outlets"],
         ])})
           called.push(await api.handleRequest({ method, path: prefix + path, headers: { "content-type": "application/json" }, body }));
       console.log(JSON.stringify({ called, refused }));`,
      );
      const { called, refused } = JSON.parse(await inFolder(process.execPath, "backend.mjs", asJson(name)));
      const names = ["getShift", "updateShift", "assignCandidate", "createCandidate", "listOutlets"];
      expect(refused).toEqual([]);
      expect(called).toEqual([...names, ...names.map((each) => `${each}ByHeader`)]);
    },
  );
});

describe("Spectral", { timeout: TIMEOUT_MS }, () => {
  it.each(documents)("finds no error in %s", async (name) => {
    const rules = name.includes("asyncapi") ? "spectral:asyncapi" : "spectral:oas";
    write("rules.yaml", `extends: ["${rules}"]\n`);
    const argv = ["lint", join(DOCUMENTS, name), "--ruleset", "rules.yaml", "--format", "json", "--quiet"];
    const out = await inFolder("spectral", ...argv).catch(({ stdout }: { stdout: string }) => stdout);
    const found: { code: string; path: string[]; severity: number; message: string }[] = JSON.parse(
      out || "[]",
    );
    expect(found.filter(({ severity }) => severity === 0)).toEqual([]);
  });
});

interface ComparatorPackage {
  Comparator: new (documents: {
    oas: unknown;
  }) => { compare(pact: unknown): AsyncIterable<{ type: string; message: string }> };
}

describe("openapi-pact-comparator", () => {
  const CONTRACTS = fromRoot("contracts");
  const pairs = readdirSync(CONTRACTS)
    .filter((name) => !name.includes(".events."))
    .flatMap((contract) => {
      // A contract of webhooks includes everything that the platform accepts, which is more than a provider should send.
      const described = contract.endsWith(".http.json") ? "provider" : "platform-tolerant";
      return openapi
        .filter((name) => name.startsWith(described))
        .map((document) => [contract, document] as const);
    });

  it.each(pairs)("finds no error between %s and %s", async (contract, document) => {
    // Node's resolution does not find its type declarations.
    const { Comparator }: ComparatorPackage = (await import("@pactflow/openapi-pact-comparator")) as never;
    // The documents are YAML, and the contracts are JSON, which is YAML, too.
    const read = (path: string) => parse(readFileSync(path, "utf8"));
    const comparator = new Comparator({ oas: read(join(DOCUMENTS, document)) });
    const errors = [];
    for await (const result of comparator.compare(read(join(CONTRACTS, contract)))) {
      if (result.type === "error") errors.push(result);
    }
    expect(errors).toEqual([]);
  });
});
