import { INHERITED } from "../ajv/keywords.ts";
import type { SpecDocument } from "../bundle.ts";
import { at, ensure, type Place, repeated, SpecFault } from "../fault.ts";
import { isRecord, recordOf, type Schema } from "../schema.ts";
import { type DeclaredResponse, type RequestBody, requestBodyOf, responsesOf } from "./content.ts";
import { type Parameter, parametersOf } from "./parameters.ts";
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
  const isKnown = version.startsWith("3.1");
  ensure(isKnown, at(place, "openapi"), `version ${version} is not supported`, "write OpenAPI 3.1");
  const paths = recordOf(document.root.paths);
  const operations = Object.entries(paths).flatMap(([path, value]) => {
    const item = recordOf(value);
    return METHODS.filter((method) => isRecord(item[method])).map((method) => {
      const found = { path, method, shared: item.parameters, operation: recordOf(item[method]) };
      return operationOf(document, found, at(place, "paths", path, method));
    });
  });
  refuseTwice(operations);
  refuseSamePaths(Object.keys(paths), at(place, "paths"));
  return operations;
}

interface Found extends Pick<Operation, "path" | "method"> {
  /** The parameters of the path. */
  readonly shared: unknown;
  readonly operation: Record<string, unknown>;
}

function operationOf(document: SpecDocument, found: Found, place: Place): Operation {
  const { path, method, shared, operation } = found;
  const operationId = String(operation.operationId ?? "");
  ensure(
    OPERATION_ID.test(operationId) && !INHERITED.includes(operationId),
    place,
    operationId === "" ? "the operation has no operationId" : `"${operationId}" is not a method name`,
    "give it an operationId in camelCase, letters and digits, not use or eject",
  );
  return {
    operationId,
    method,
    path,
    summary: String(operation.summary ?? operationId),
    description: String(operation.description ?? ""),
    isDeprecated: operation.deprecated === true,
    ...securityOf(operation.security ?? document.root.security, document, place),
    parameters: parametersOf(path, shared, operation.parameters, { document, place }),
    body: requestBodyOf(operation.requestBody, at(place, "requestBody")),
    responses: responsesOf(operation.responses, at(place, "responses")),
    place,
  };
}

/** OpenAPI 3.1, section 4.8.8.1: paths that differ in the names of their parameters only are the same. */
function refuseSamePaths(paths: readonly string[], place: Place): void {
  const [path, other] = repeated(paths, (each) => each.replaceAll(/\{[^}]+\}/g, "{}")) ?? [];
  if (path === undefined) return;
  const problem = `the path is the same as ${other}`;
  throw new SpecFault(at(place, path), problem, "write the operations of both under one");
}

function refuseTwice(operations: readonly Operation[]): void {
  const [operation, other] = repeated(operations, ({ operationId }) => operationId) ?? [];
  if (operation === undefined) return;
  const problem = `the operationId "${operation.operationId}" is taken by ${other?.place.pointer}`;
  throw new SpecFault(operation.place, problem, "give each operation its own");
}

/** Returns every schema inside an operation, with its place. */
export function inlineSchemas(operation: Operation): { schema: Schema; place: Place }[] {
  const bodies = operation.body === undefined ? [] : [operation.body];
  return [...operation.parameters, ...bodies, ...operation.responses].flatMap((part) =>
    part.schema === undefined ? [] : [{ schema: part.schema, place: part.place }],
  );
}
