import type { SpecDocument } from "../bundle.ts";
import { onlyReference, type Schema } from "../schema.ts";
import type { ParameterPlace } from "./parameters.ts";
import type { Operation } from "./paths.ts";

/** A tree of exports: a leaf is the id of a schema to compile and its TypeScript type. */
export interface ValidatorLeaf {
  readonly id: string;
  readonly type: string;
}
export interface ValidatorTree {
  readonly [name: string]: ValidatorTree | ValidatorLeaf;
}

/** The exports of `validators.js`, and their schemas by id. */
export interface ValidatorPlan {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly exports: Readonly<Record<string, ValidatorTree>>;
}

const PARTS: readonly (readonly [part: "path" | "query" | "headers", where: ParameterPlace])[] = [
  ["path", "path"],
  ["query", "query"],
  ["headers", "header"],
];

/** Returns the named schemas alone, for documents without operations. */
export function planSchemas(document: SpecDocument): ValidatorPlan {
  const names = Object.keys(document.schemas);
  const leaves = names.map((name) => [name, { id: name, type: `components["schemas"]["${name}"]` }]);
  return { schemas: document.schemas, exports: { schemas: Object.fromEntries(leaves) } };
}

/** Returns validators for every named schema, every part of a request and every response with a body. */
export function planOperations(document: SpecDocument, operations: readonly Operation[]): ValidatorPlan {
  const plan = planSchemas(document);
  const schemas: Record<string, Schema> = { ...plan.schemas };
  const add = (id: string, schema: Schema): string => {
    const name = onlyReference(schema);
    if (name === undefined) schemas[id] = schema;
    return name ?? id;
  };
  const requests = operations.map((operation) => [operation.operationId, requestTree(operation, add)]);
  const responses = operations.map((operation) => [operation.operationId, responseTree(operation, add)]);
  const exports = {
    ...plan.exports,
    requests: Object.fromEntries(requests),
    responses: Object.fromEntries(responses),
  };
  return { schemas, exports };
}

type Add = (id: string, schema: Schema) => string;

function requestTree(operation: Operation, add: Add): ValidatorTree {
  const tree: Record<string, ValidatorLeaf> = {};
  const type = `operations["${operation.operationId}"]`;
  for (const [part, where] of PARTS) {
    const schema = parametersSchema(operation, where);
    if (schema === undefined) continue;
    tree[part] = {
      id: add(`${operation.operationId}.${part}`, schema),
      type: `RequestPart<${type}, "${where}">`,
    };
  }
  if (operation.body !== undefined) {
    tree.body = {
      id: add(`${operation.operationId}.body`, operation.body.schema),
      type: `RequestBody<${type}>`,
    };
  }
  return tree;
}

function parametersSchema(operation: Operation, where: ParameterPlace): Schema | undefined {
  const parameters = operation.parameters.filter((parameter) => parameter.in === where);
  if (parameters.length === 0) return undefined;
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema]));
  return { type: "object", properties, required };
}

function responseTree(operation: Operation, add: Add): ValidatorTree {
  const tree: Record<string, ValidatorLeaf> = {};
  for (const { status, schema } of operation.responses) {
    if (schema === undefined) continue;
    const type = `ResponseBody<operations["${operation.operationId}"], ${status === "default" ? '"default"' : status}>`;
    tree[status] = { id: add(`${operation.operationId}.${status}`, schema), type };
  }
  return tree;
}
