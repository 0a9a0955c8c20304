import type { DocumentKind } from "./files.ts";

const MODULES: Readonly<Record<DocumentKind, readonly string[]>> = {
  openapi: ["client.ts", "types.ts", "validators.js"],
  asyncapi: ["types.ts", "validators.js"],
};

/** Returns the entry module of one document, without the stub, because that needs Express. */
export function emitEntry(kind: DocumentKind, runtime: string): string {
  const modules = MODULES[kind].map((name) => `export * from "./${name}";\n`);
  return `export type { Validator } from "${runtime}/validator.ts";\n${modules.join("")}`;
}
