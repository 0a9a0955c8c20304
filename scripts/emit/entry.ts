import type { DocumentKind } from "./files.ts";

const VALIDATOR = `export type { Validator } from "../runtime/validator.ts";\n`;

/** What every operation's handler and hook is written with, whatever the document. */
const RUNTIME = `export type { Handler, OperationInfo, OperationRequest, OperationResponse } from "../runtime/operation.ts";
export { ProblemError } from "../runtime/problem.ts";
export { problemHandler } from "../runtime/problem-response.ts";
export type { RouterOptions } from "../runtime/server.ts";
${VALIDATOR}`;

const MODULES: Readonly<Record<DocumentKind, readonly string[]>> = {
  openapi: ["client.ts", "server.ts", "types.ts", "validators.js"],
  asyncapi: ["types.ts", "validators.js"],
};

/** All that was generated from one document, for whoever imports it by one name. */
export function emitEntry(kind: DocumentKind): string {
  const modules = MODULES[kind].map((name) => `export * from "./${name}";\n`);
  return (kind === "openapi" ? RUNTIME : VALIDATOR) + modules.join("");
}
