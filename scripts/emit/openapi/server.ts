import { operationTitle } from "./client.ts";
import type { Operation } from "./paths.ts";
import { docComment } from "./types.ts";

/** The Express 5 stub: the handlers to fill in, and the router that calls them. */
export function emitServer(operations: readonly Operation[]): string {
  return `import type { Router } from "express";
import type { Handler, OperationInfo } from "../runtime/operation.ts";
import { type RouterOptions, routerOf } from "../runtime/server.ts";
import type { operations } from "./types.ts";
import { requests, responses } from "./validators.js";

/** One function for each operation; an operation added to the document is a compile error until it is written. */
export interface Handlers<Context> {
${operations.map(handlerMember).join("")}
}

/** Every operation with what a test or a hook needs to know about it. */
export const operationsTable = [
${operations.map(tableRow).join("")}
] as const satisfies readonly OperationInfo[];

/** An Express 5 router that may be mounted anywhere, below path parameters too. */
export function createRouter<Context>(options: RouterOptions<Handlers<Context>, Context>): Router {
  return routerOf(operationsTable, { requests, responses }, options);
}
`;
}

function handlerMember(operation: Operation): string {
  const context = operation.security.length === 0 ? "undefined" : "Context";
  const type = `Handler<operations["${operation.operationId}"], ${context}>`;
  return `${docComment(operationTitle(operation))}${operation.operationId}: ${type};\n`;
}

function tableRow(operation: Operation): string {
  const { operationId, method, path, security, body } = operation;
  const row = {
    operationId,
    method: method.toUpperCase(),
    path,
    security,
    parameters: operation.parameters.map(({ in: where, name, type, list }) => ({
      in: where,
      name,
      type,
      list,
    })),
    body: body === undefined ? undefined : { required: body.required, contentType: body.contentType },
    responses: Object.fromEntries(
      operation.responses.map(({ status, contentType }) => [status, contentType ?? null]),
    ),
  };
  return `${JSON.stringify(row)},\n`;
}
