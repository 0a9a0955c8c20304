import type { SpecDocument } from "../bundle.ts";
import { mapRecord, onlyReference, type Schema } from "../schema.ts";
import type { Parameter } from "./parameters.ts";
import type { Operation } from "./paths.ts";

/** A validator: the id of the schema that it checks, and its TypeScript type. */
export interface ValidatorLeaf {
  readonly id: string;
  readonly type: string;
}
export interface ValidatorTree {
  readonly [name: string]: ValidatorTree | ValidatorLeaf;
}

/** The exports of `validators.js`, and their schemas by id, each of which is compiled once. */
export interface ValidatorPlan {
  readonly schemas: Readonly<Record<string, Schema>>;
  readonly exports: {
    readonly schemas: Readonly<Record<string, ValidatorLeaf>>;
    readonly requests?: ValidatorTree;
    readonly responses?: ValidatorTree;
  };
}

const PARTS = { path: "path", query: "query", headers: "header" } as const;

/** Returns the named schemas alone, for documents without operations. */
export function planSchemas({ schemas }: SpecDocument): ValidatorPlan {
  const leaves = mapRecord(schemas, (_schema, id) => ({ id, type: `components["schemas"]["${id}"]` }));
  return { schemas, exports: { schemas: leaves } };
}

/** Returns validators for every named schema, every part of a request and every response with a body. */
export function planOperations(document: SpecDocument, operations: readonly Operation[]): ValidatorPlan {
  const plan = planSchemas(document);
  const schemas: Record<string, Schema> = { ...plan.schemas };
  const treesOf = (partsOf: (operation: Operation) => Part[]): ValidatorTree =>
    Object.fromEntries(
      operations.map((operation) => {
        const leaves = partsOf(operation).map(([name, schema, type]) => {
          const id = onlyReference(schema) ?? `${operation.operationId}.${name}`;
          schemas[id] ??= schema;
          return [name, { id, type }];
        });
        return [operation.operationId, Object.fromEntries(leaves)];
      }),
    );
  const [requests, responses] = [treesOf(requestParts), treesOf(responseParts)];
  return { schemas, exports: { ...plan.exports, requests, responses } };
}

type Part = readonly [name: string, schema: Schema, type: string];

const typeOf = ({ operationId }: Operation): string => `operations["${operationId}"]`;

function requestParts(operation: Operation): Part[] {
  const { parameters, body } = operation;
  const parts = Object.entries(PARTS).flatMap(([name, where]): Part[] => {
    const own = parameters.filter((parameter) => parameter.in === where);
    const type = `RequestPart<${typeOf(operation)}, "${where}">`;
    return own.length === 0 ? [] : [[name, parametersSchema(own), type]];
  });
  return body === undefined ? parts : [...parts, ["body", body.schema, `RequestBody<${typeOf(operation)}>`]];
}

function parametersSchema(parameters: readonly Parameter[]): Schema {
  const required = parameters.filter((parameter) => parameter.required).map((parameter) => parameter.name);
  const properties = Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter.schema]));
  return { type: "object", properties, required };
}

function responseParts(operation: Operation): Part[] {
  return operation.responses.flatMap(({ status, schema }): Part[] => {
    const key = status === "default" ? '"default"' : status;
    return schema === undefined ? [] : [[status, schema, `ResponseBody<${typeOf(operation)}, ${key}>`]];
  });
}
