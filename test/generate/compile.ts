import { writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { PROJECT } from "./workspace.ts";

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
