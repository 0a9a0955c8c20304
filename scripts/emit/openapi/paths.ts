import { INHERITED } from "../ajv/keywords.ts";
import type { SpecDocument } from "../bundle.ts";
import { at, type Place, SpecFault } from "../fault.ts";
import { isRecord, type Schema } from "../schema.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
import { type RequestBody, requestBodyOf } from "./request-body.ts";
import { type DeclaredResponse, responsesOf } from "./responses.ts";
import { type Security, securityOf } from "./security.ts";

const METHODS = ["get", "put", "post", "delete", "patch"] as const;
export type Method = (typeof METHODS)[number];

/** An Operation Object (OpenAPI 3.1, section 4.8.10) with its path, in the form that the emitters print. */
export interface Operation extends Security {
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly isDeprecated: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly responses: readonly DeclaredResponse[];
  readonly place: Place;
}

/** The other methods of a client are `use` and `eject`. */
const OPERATION_ID = /^(?!use$|eject$)[a-z][A-Za-z0-9]*$/;

/** Returns every operation of a document, in its order. */
export function operationsOf(document: SpecDocument): Operation[] {
  const place = { document: document.file, pointer: "" };
  const version = String(document.root.openapi);
  if (!version.startsWith("3.1")) {
    throw new SpecFault(at(place, "openapi"), `version ${version} is not supported`, "write OpenAPI 3.1");
  }
  const paths = isRecord(document.root.paths) ? document.root.paths : {};
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    isRecord(item) ? pathOperations(document, path, item, at(place, "paths", path)) : [],
  );
  refuseTwice(operations);
  refuseSamePaths(Object.keys(paths), at(place, "paths"));
  return operations;
}

function pathOperations(
  document: SpecDocument,
  path: string,
  item: Record<string, unknown>,
  place: Place,
): Operation[] {
  const methods = METHODS.filter((method) => isRecord(item[method]));
  return methods.map((method) => {
    const operation = item[method];
    return operationOf(
      document,
      { path, method, item, operation: isRecord(operation) ? operation : {} },
      at(place, method),
    );
  });
}

interface Found {
  readonly path: string;
  readonly method: Method;
  readonly item: Record<string, unknown>;
  readonly operation: Record<string, unknown>;
}

function operationOf(document: SpecDocument, found: Found, place: Place): Operation {
  const { path, method, operation } = found;
  const operationId = String(operation.operationId ?? "");
  if (!OPERATION_ID.test(operationId) || INHERITED.includes(operationId)) {
    const problem =
      operationId === "" ? "the operation has no operationId" : `"${operationId}" is no method name`;
    throw new SpecFault(
      place,
      problem,
      "give it an operationId in camelCase, letters and digits, not use or eject",
    );
  }
  return {
    operationId,
    method,
    path,
    summary: String(operation.summary ?? operationId),
    description: String(operation.description ?? ""),
    isDeprecated: operation.deprecated === true,
    ...securityOf(operation.security ?? document.root.security, document, place),
    parameters: parametersOf(path, found.item.parameters, operation.parameters, { document, place }),
    body: requestBodyOf(operation.requestBody, at(place, "requestBody")),
    responses: responsesOf(operation.responses, at(place, "responses")),
    place,
  };
}

/** OpenAPI 3.1, section 4.8.8.1: paths that differ in the names of their parameters only are the same. */
function refuseSamePaths(paths: readonly string[], place: Place): void {
  const seen = new Map<string, string>();
  for (const path of paths) {
    const template = path.replaceAll(/\{[^}]+\}/g, "{}");
    const other = seen.get(template);
    if (other !== undefined)
      throw new SpecFault(
        at(place, path),
        `the path is the same as ${other}`,
        "write the operations of both under one",
      );
    seen.set(template, path);
  }
}

function refuseTwice(operations: readonly Operation[]): void {
  const seen = new Map<string, Operation>();
  for (const operation of operations) {
    const other = seen.get(operation.operationId);
    if (other !== undefined) {
      const problem = `the operationId "${operation.operationId}" is taken by ${other.place.pointer}`;
      throw new SpecFault(operation.place, problem, "give each operation its own");
    }
    seen.set(operation.operationId, operation);
  }
}

/** Returns every schema inside an operation, with its place. */
export function inlineSchemas(operation: Operation): { schema: Schema; place: Place }[] {
  const bodies = operation.body === undefined ? [] : [operation.body];
  return [...operation.parameters, ...bodies, ...operation.responses].flatMap((part) =>
    part.schema === undefined ? [] : [{ schema: part.schema, place: part.place }],
  );
}
