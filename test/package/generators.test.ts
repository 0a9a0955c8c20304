import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { GENERATORS } from "./installed.ts";

const run = promisify(execFile);
const DOCUMENTS = fileURLToPath(new URL("../../generated/spec", import.meta.url));
const TSC = createRequire(import.meta.url).resolve("typescript/bin/tsc");

/** The limit for the installation of three hundred packages. Milliseconds. */
const TIMEOUT_MS = 300_000;

interface Generator {
  /** Its command and arguments, which write to `out`. */
  command(document: string, out: string): string[];
  /** The module with the types, relative to the folder of the others. */
  module(out: string): string;
  /** The expression of a named schema's type, if the module exports none; such a type may have other members. */
  type?(name: string): string;
}

const COMMANDS: Readonly<Record<string, Generator>> = {
  oazapfts: {
    command: (document, out) => ["oazapfts", document, `${out}.ts`],
    module: (out) => `./${out}.ts`,
  },
  orval: {
    command: (document, out) => [
      "orval",
      "--input",
      document,
      "--output",
      `./${out}.ts`,
      "--client",
      "fetch",
    ],
    module: (out) => `./${out}.ts`,
  },
  "openapi-typescript-codegen": {
    command: (document, out) => ["openapi", "--input", document, "--output", out],
    module: (out) => `./${out}/index.ts`,
  },
  "openapi-zod-client": {
    command: (document, out) => ["openapi-zod-client", document, "-o", `${out}.ts`, "--export-schemas"],
    module: (out) => `./${out}.ts`,
    type: (name) => `z.infer<typeof api.schemas.${name}>`,
  },
};
const VERSIONS = ["3.1", "3.0"] as const;
const CASES = Object.keys(COMMANDS).flatMap((name) => VERSIONS.map((version) => [name, version] as const));

let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "shiftpact-generators-"));
  write(
    "package.json",
    JSON.stringify({ name: "generators", private: true, type: "module", dependencies: GENERATORS }),
  );
  await inFolder("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]);
}, TIMEOUT_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);

async function inFolder(command: string, argv: readonly string[]): Promise<string> {
  const bin = join(folder, "node_modules/.bin");
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, NO_COLOR: "1", NODE_ENV: "test" };
  const { stdout } = await run(command, [...argv], { cwd: folder, env, maxBuffer: 1 << 26 });
  return stdout;
}

/** Writes the code for each of the documents. Returns the name of the provider's. */
async function generate(name: string, version: string): Promise<string> {
  const generator = COMMANDS[name] as Generator;
  const out = (document: string) => `${name}-${version.replace(".", "")}-${document}`;
  for (const document of ["provider", "platform", "operations"]) {
    const file = join(DOCUMENTS, `${document}.openapi-${version}.yaml`);
    const [command = "", ...argv] = generator.command(file, out(document));
    await inFolder(command, argv);
  }
  return out("provider");
}

const NAMES = [
  "Shift",
  "ShiftVariantA",
  "ShiftVariantB",
  "Assignment",
  "DetailedAssignment",
  "CandidateCreate",
];

/** Code on the generated types that does not compile with `any`, with a lost field or with a lost `required`. */
const READER = `
type IsAny<T> = 0 extends 1 & T ? true : false;
export const known: [${NAMES.map((name) => `IsAny<${name}>`).join()}] = [${NAMES.map(() => false).join()}];
export const fields: [IsAny<ShiftVariantA["slots"]>, IsAny<ShiftVariantB["numberOfPositions"]>] = [false, false];

type Text = string | null | undefined;
export const ofA = ({ startTime, outletName, slots }: ShiftVariantA): [string, Text, number | null | undefined] =>
  [startTime, outletName, slots];
export const ofB = ({ startTime, status, breakMinutes }: ShiftVariantB): [string, Text, number | null | undefined] =>
  [startTime, status, breakMinutes];
export const ofEither = (shift: Shift): (string | undefined)[] => shift.assignedCandidates.map(({ candidateId }) => candidateId);
export const success = (assignment: Assignment): boolean => assignment.success;
export const assignedAt = (assignment: DetailedAssignment): string | undefined => assignment.assignedAt;
export const name = (body: CandidateCreate): string => body.firstName;
export const fits: Shift[] = [{} as ShiftVariantA, {} as ShiftVariantB];

// @ts-expect-error a shift has more than an id
export const poor: Shift = { id: "1" };
// @ts-expect-error the break is a number
export const long: ShiftVariantB["breakMinutes"] = "half an hour";
`;

/** Code for types without additional members. */
const CLOSED_READER = `
export function positions(shift: Shift): number | null | undefined {
  return "numberOfPositions" in shift ? shift.numberOfPositions : shift.slots;
}
export const at = (assignment: Assignment): string | undefined => ("assignedAt" in assignment ? assignment.assignedAt : undefined);
export const city = (body: CandidateCreate): string | undefined => ("city" in body ? body.city : undefined);
// @ts-expect-error variant A has no break
export type Break = ShiftVariantA["breakMinutes"];
`;

function reader({ module, type }: Generator, out: string): string {
  const imports = `${type ? 'import type { z } from "zod";\n' : ""}import type * as api from "${module(out)}";`;
  const aliases = NAMES.map((each) => `type ${each} = ${type ? type(each) : `api.${each}`};`);
  return [imports, ...aliases, READER, ...(type ? [] : [CLOSED_READER])].join("\n");
}

const TSCONFIG = {
  compilerOptions: {
    target: "ES2022",
    lib: ["ES2022", "DOM", "DOM.Iterable"],
    module: "ESNext",
    moduleResolution: "Bundler",
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: [],
  },
};

describe("third-party generators", { timeout: TIMEOUT_MS }, () => {
  it.each(CASES)("create types of every document: %s from %s", async (name, version) => {
    const generator = COMMANDS[name] as Generator;
    const out = await generate(name, version);
    write(`${out}-reader.ts`, reader(generator, out));
    const others = ["platform", "operations"].map((each) => generator.module(out.replace("provider", each)));
    const files = [`./${out}-reader.ts`, ...others];
    write(`${out}.json`, JSON.stringify({ ...TSCONFIG, files }));
    const failed = await inFolder(process.execPath, [TSC, "-p", `${out}.json`]).then(
      () => "",
      ({ stdout }: { stdout: string }) => stdout,
    );
    expect(failed).toBe("");
  });
});
