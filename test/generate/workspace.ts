import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";
import { emit } from "../../scripts/emit/emit.ts";
import { SpecFault } from "../../scripts/emit/fault.ts";
import { main } from "../../scripts/generate.ts";

export const PROJECT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
export const LIBRARY = join(PROJECT, "test", "generate", "fixtures", "library");

/** A folder inside the project, where generated code finds its packages; git and the other checks ignore it. */
export function folderInProject(): { path: string; remove(): void } {
  mkdirSync(join(PROJECT, ".shiftpact"), { recursive: true });
  const path = mkdtempSync(join(PROJECT, ".shiftpact", "generate-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Creates a folder with these files, removed after the test; values other than text are written as YAML. */
export function folderWith(files: Readonly<Record<string, unknown>>): string {
  const folder = join(mkdtempSync(join(tmpdir(), "generate-test-")), "spec");
  mkdirSync(folder);
  onTestFinished(() => rmSync(dirname(folder), { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : stringify(content));
  }
  return folder;
}

/** Returns an OpenAPI document of one operation, with changes and additions. */
export function openapi(
  parts: { operation?: object; schemas?: object; document?: object; path?: string } = {},
): object {
  const operation = {
    operationId: "look",
    responses: { 204: { description: "Nothing" } },
    ...parts.operation,
  };
  return {
    openapi: "3.1.0",
    info: { title: "Small", version: "1.0.0" },
    paths: { [parts.path ?? "/things"]: { ["requestBody" in operation ? "post" : "get"]: operation } },
    components: { schemas: parts.schemas ?? {} },
    ...parts.document,
  };
}

/** Runs the command in this process. */
export async function run(...argv: string[]): Promise<{ code: number; out: string; error: string }> {
  const texts = { out: "", error: "" };
  const code = await main(argv, {
    out: (text) => {
      texts.out += text;
    },
    error: (text) => {
      texts.error += text;
    },
  });
  return { code, ...texts };
}

/** Returns the fault of a folder with these files as it is shown. */
export async function faultOf(files: Readonly<Record<string, unknown>>): Promise<string> {
  return emit(folderWith(files)).then(
    () => "none",
    (error: unknown) => {
      if (error instanceof SpecFault) return error.message;
      throw error;
    },
  );
}

/** An error of the compiler. */
export interface Compiled {
  readonly file: string;
  readonly text: string;
}

/** Writes sources into a folder and returns the errors of the compiler, with the options of the project. */
export function compile(folder: string, sources: Readonly<Record<string, string>>): Compiled[] {
  const { config } = ts.readConfigFile(join(PROJECT, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, PROJECT);
  const files = Object.entries(sources).map(([name, text]) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  });
  const program = ts.createProgram(files, options);
  return ts.getPreEmitDiagnostics(program).map((diagnostic) => ({
    file: diagnostic.file?.fileName.slice(folder.length + 1) ?? "",
    text: ts.flattenDiagnosticMessageText(diagnostic.messageText, "\n"),
  }));
}
