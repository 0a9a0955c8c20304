import type { SpecDocument } from "../bundle.ts";
import { onlyReference } from "../schema.ts";
import { operationText } from "./client.ts";
import { longestForm } from "./parameters.ts";
import type { Operation } from "./paths.ts";
import { docComment } from "./types.ts";

const PROBLEM = "application/problem+json";

/** Returns the Express 5 stub: the interface of the handlers, and the router that calls them. */
export function emitServer(
  operations: readonly Operation[],
  { complete, schemas }: SpecDocument,
  runtime: string,
): string {
  const members = operations.map((operation) => handlerMember(operation, complete));
  const context = operations.some(({ security }) => security.length > 0) ? "Context" : "_Context";
  return `import type { Router } from "express";
import type { Handler, OperationInfo } from "${runtime}/operation.ts";
import { type RouterOptions, routerOf } from "${runtime}/server.ts";
import type { ${[...new Set(members.flatMap(({ imports }) => imports)), "operations"].join(", ")} } from "./types.ts";
import { requests, responses } from "./validators.js";

export type { Handler, OperationInfo, OperationRequest, OperationResponse } from "${runtime}/operation.ts";
export { ProblemError } from "${runtime}/problem.ts";
export { problemHandler } from "${runtime}/problem-response.ts";
export type { RouterOptions } from "${runtime}/server.ts";

/** One function for each operation; an operation added to the document is a compile error until it is implemented. */
export interface Handlers<${context}> {
${members.map(({ text }) => text).join("")}
}

/** Every operation with its details for tests and hooks. */
export const operationsTable = [
${operations.map((operation) => tableRow(operation, schemas)).join("")}
] as const satisfies readonly OperationInfo[];

/** An Express 5 router that may be mounted anywhere, below path parameters too. */
export function createRouter<Context>(options: RouterOptions<Handlers<Context>, Context>): Router {
  return routerOf(operationsTable, { requests, responses }, options);
}
`;
}

function handlerMember(operation: Operation, complete: SpecDocument["complete"]) {
  const context = operation.security.length === 0 ? "undefined" : "Context";
  const sent = completeBodies(operation, complete);
  const bodies = [...new Set(sent.map(({ key, type }) => `${key}: ${type}`))].join("; ");
  const type = `Handler<operations["${operation.operationId}"], ${context}${bodies && `, { ${bodies} }`}>`;
  return {
    text: `${docComment(operationText(operation))}${operation.operationId}: ${type};\n`,
    imports: sent.map(({ name }) => name),
  };
}

/** Returns the bodies that have a complete form. */
function completeBodies({ responses }: Operation, complete: SpecDocument["complete"]) {
  return responses.flatMap(({ status, contentType, schema }) => {
    const isList = typeof schema === "object" && schema.type === "array";
    const body = isList ? schema.items : schema;
    const name = body && complete.get(onlyReference(body) ?? "");
    if (!name) return [];
    return { key: contentType === PROBLEM ? "problem" : status, type: isList ? `${name}[]` : name, name };
  });
}

function tableRow(operation: Operation, schemas: SpecDocument["schemas"]): string {
  const { operationId, method, path, security, scopes, parameters, body, responses } = operation;
  const row = {
    operationId,
    method: method.toUpperCase(),
    path,
    security,
    scopes,
    parameters: parameters.map(({ in: where, name, type, list }) => ({ in: where, name, type, list })),
    body: body && {
      required: body.required,
      contentType: body.contentType,
      limit: longestForm(body, schemas),
    },
    responses: Object.fromEntries(responses.map(({ status, contentType }) => [status, contentType ?? null])),
  };
  return `${JSON.stringify(row)},\n`;
}
