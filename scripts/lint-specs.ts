import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, relative, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { DiagnosticSeverity, fromFile, Parser } from "@asyncapi/parser";
import { Ajv2020 } from "ajv/dist/2020.js";
import { parse } from "yaml";
import { isMain } from "../src/cli/is-main.ts";
import { FORMATS } from "./emit/formats.ts";

/** One fault of a document or an example: errors and warnings count the same. */
export interface SpecFinding {
  /** Relative to the spec folder. */
  file: string;
  /** JSON pointer into the file, `#` for the whole file. */
  pointer: string;
  message: string;
}

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** An arbitrary absolute base: Ajv needs one for relative references, and never fetches it. */
const BASE = "https://spec.invalid/";

/**
 * Returns all faults of a spec folder: what redocly and the AsyncAPI parser report, message examples, and `examples/*.json` against
 * the schema that `examples/index.yaml` names for each.
 */
export async function lintSpecs(folder: string): Promise<SpecFinding[]> {
  const documents = readdirSync(folder).filter((name) => /\.(openapi|asyncapi|arazzo)\.yaml$/.test(name));
  if (documents.length === 0) return [{ file: ".", pointer: "#", message: "holds no document" }];
  const asyncapi = documents.filter((name) => name.endsWith(".asyncapi.yaml"));
  const findings = await Promise.all([
    ...documents.map((name) => lintWithRedocly(folder, name)),
    ...asyncapi.map((name) => lintWithAsyncapi(folder, name)),
    checkExamples(folder, documents),
  ]);
  return findings.flat();
}

interface RedoclyReport {
  problems: { ruleId: string; message: string; location: { source: { ref: string }; pointer?: string }[] }[];
}

/** Runs one process per document: for several, redocly prints several JSON texts in a row. */
async function lintWithRedocly(folder: string, name: string): Promise<SpecFinding[]> {
  const cli = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
  const config = ["--config", join(ROOT, "redocly.yaml"), "--lint-config", "error"];
  const limits = ["--format", "json", "--max-problems", "1000"];
  const redocly = spawn(process.execPath, [cli, "lint", name, ...config, ...limits], {
    cwd: folder,
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [report, log] = await Promise.all([text(redocly.stdout), text(redocly.stderr)]);
  const { problems } = readReport(report, log);
  return problems.map(({ ruleId, message, location: [place] }) => ({
    file: relative(folder, resolve(folder, place?.source.ref ?? ".")),
    pointer: place?.pointer ?? "#",
    message: `${message} (${ruleId})`,
  }));
}

function readReport(report: string, log: string): RedoclyReport {
  try {
    return JSON.parse(report) as RedoclyReport;
  } catch {
    throw new Error(`redocly did not report:\n${log}${report}`);
  }
}

async function lintWithAsyncapi(folder: string, name: string): Promise<SpecFinding[]> {
  const { diagnostics } = await fromFile(new Parser(), join(folder, name)).parse();
  return diagnostics
    .filter(({ severity }) => severity <= DiagnosticSeverity.Warning)
    .map(({ source, path, message, code }) => ({
      file: relative(folder, source ?? join(folder, name)),
      pointer: `#/${path.join("/")}`,
      message: `${message} (${code})`,
    }));
}

async function checkExamples(folder: string, documents: string[]): Promise<SpecFinding[]> {
  const names = [...documents, ...namesIn(folder, "schemas").filter((name) => name.endsWith(".yaml"))];
  const unreadable: SpecFinding[] = [];
  const parsed = new Map<string, Record<string, unknown>>();
  for (const name of names) {
    try {
      parsed.set(name, readYaml(join(folder, name)));
    } catch (error) {
      unreadable.push({ file: name, pointer: "#", message: (error as Error).message.split("\n")[0] ?? "" });
    }
  }
  const faultsOf = openSchemas(parsed);
  const inline = [...parsed].flatMap(([name, document]) => checkMessageExamples(name, document, faultsOf));
  return [...unreadable, ...inline, ...checkExampleFiles(folder, faultsOf)];
}

/** Returns the faults of a value against the schema at `document.yaml#/json/pointer`, without the value. */
type FaultsOf = (reference: string, value: unknown) => string[];

function openSchemas(parsed: ReadonlyMap<string, object>): FaultsOf {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateSchema: false,
    logger: false,
    formats: FORMATS,
  });
  for (const [name, document] of parsed) ajv.addSchema({ ...document, $id: BASE + name });
  return (reference, value) => {
    try {
      const validate = ajv.compile({ $ref: BASE + reference });
      if (validate(value)) return [];
      return (validate.errors ?? []).map((error) => `${error.instancePath || "the value"} ${error.message}`);
    } catch (error) {
      return [`${reference} is not a usable schema: ${(error as Error).message}`];
    }
  };
}

interface Messages {
  components?: { messages?: Record<string, { examples?: { payload?: unknown }[] }> };
}

/** Checks the examples of AsyncAPI messages; redocly checks those of OpenAPI documents. */
function checkMessageExamples(name: string, document: Messages, faultsOf: FaultsOf): SpecFinding[] {
  return Object.entries(document.components?.messages ?? {}).flatMap(([message, { examples = [] }]) => {
    const pointer = `#/components/messages/${message}`;
    return examples.flatMap(({ payload }, index) =>
      faultsOf(`${name}${pointer}/payload`, payload).map((fault) => ({
        file: name,
        pointer: `${pointer}/examples/${index}/payload`,
        message: fault,
      })),
    );
  });
}

function checkExampleFiles(folder: string, faultsOf: FaultsOf): SpecFinding[] {
  const index = "examples/index.yaml";
  const files = namesIn(folder, "examples");
  const schemaOf = files.includes(index) ? readYaml(join(folder, index)) : {};
  const indexed = Object.keys(schemaOf).map((name) => `examples/${name}`);
  const gone = indexed.filter((file) => !files.includes(file));
  return [
    ...gone.map((file) => ({ file: index, pointer: `#/${basename(file)}`, message: "no such file" })),
    ...files.flatMap((file) => {
      if (file === index) return [];
      const faults = checkExampleFile(join(folder, file), schemaOf[basename(file)], faultsOf);
      return faults.map((message) => ({ file, pointer: "#", message }));
    }),
  ];
}

function checkExampleFile(path: string, reference: unknown, faultsOf: FaultsOf): string[] {
  if (typeof reference !== "string") return ["is not in examples/index.yaml"];
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return ["is not JSON"];
  }
  return faultsOf(reference, value);
}

/** Returns the files of a folder as `subfolder/name`; none if the folder is missing. */
function namesIn(folder: string, subfolder: string): string[] {
  if (!readdirSync(folder).includes(subfolder)) return [];
  return readdirSync(join(folder, subfolder)).map((name) => `${subfolder}/${name}`);
}

function readYaml(path: string): Record<string, unknown> {
  return (parse(readFileSync(path, "utf8"), { maxAliasCount: -1 }) ?? {}) as Record<string, unknown>;
}

if (isMain(import.meta)) {
  const folder = resolve(process.argv[2] ?? join(ROOT, "spec"));
  const findings = await lintSpecs(folder);
  for (const { file, pointer, message } of findings) console.error(`${file}${pointer}: ${message}`);
  console.log(`${findings.length} faults in ${relative(process.cwd(), folder) || "."}`);
  process.exitCode = findings.length === 0 ? 0 : 1;
}
