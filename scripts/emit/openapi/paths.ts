import { INHERITED } from "../ajv/keywords.ts";
import type { SpecDocument } from "../bundle.ts";
import { at, ensure, type Faults, type Place, refuseRepeated } from "../fault.ts";
import { isRecord, recordOf, type Schema } from "../schema.ts";
import {
  type DeclaredResponse,
  type Parameter,
  parametersOf,
  type RequestBody,
  requestBodyOf,
  responsesOf,
} from "./parameters.ts";
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
export function operationsOf(document: SpecDocument, faults: Faults): Operation[] {
  const place = { document: document.file, pointer: "" };
  const paths = recordOf(document.root.paths);
  const operations = Object.entries(paths).flatMap(([path, value]) => {
    const item = recordOf(value);
    return METHODS.filter((method) => isRecord(item[method])).map((method) => {
      const where = at(place, "paths", path, method);
      return operationOf(document, { path, method }, item, where, faults);
    });
  });
  refuseRepeated(
    faults,
    operations.filter(({ operationId }) => operationId !== ""),
    ({ operationId }) => operationId,
    ({ operationId, place: where }, other) => {
      const problem = `the operationId "${operationId}" is taken by ${other.place.pointer}`;
      return [where, problem, "give each operation its own"];
    },
  );
  // OpenAPI 3.1, section 4.8.8.1: paths that differ in the names of their parameters only are the same.
  refuseRepeated(
    faults,
    Object.keys(paths),
    (path) => path.replaceAll(/\{[^}]+\}/g, "{}"),
    (path, other) => {
      const problem = `the path is the same as ${other}`;
      return [at(place, "paths", path), problem, "write the operations of both under one"];
    },
  );
  return operations;
}

function operationOf(
  document: SpecDocument,
  { path, method }: Pick<Operation, "path" | "method">,
  item: Record<string, unknown>,
  place: Place,
  faults: Faults,
): Operation {
  const operation = recordOf(item[method]);
  const operationId = faults.try(() => operationIdOf(operation, place)) ?? "";
  const security = faults.try(() =>
    securityOf(operation.security ?? document.root.security, document, place),
  );
  const responses = faults.try(() => responsesOf(operation.responses, at(place, "responses"), faults));
  const lists = [item.parameters, operation.parameters];
  return {
    operationId,
    method,
    path,
    summary: String(operation.summary ?? operationId),
    description: String(operation.description ?? ""),
    isDeprecated: operation.deprecated === true,
    ...(security ?? { security: [], alternatives: [], scopes: [] }),
    parameters: faults.try(() => parametersOf(path, lists, document.schemas, place, faults)) ?? [],
    body: faults.try(() => requestBodyOf(operation.requestBody, method, at(place, "requestBody"))),
    responses: responses ?? [],
    place,
  };
}

function operationIdOf({ operationId = "" }: Record<string, unknown>, place: Place): string {
  const id = String(operationId);
  ensure(
    OPERATION_ID.test(id) && !INHERITED.includes(id),
    id === "" ? place : at(place, "operationId"),
    id === "" ? "the operation has no operationId" : `"${id}" is not a method name`,
    "give it an operationId of letters and digits, a letter first, not use or eject",
  );
  return id;
}

/** Returns every schema inside an operation, with its place. */
export function inlineSchemas(operation: Operation): { schema: Schema; place: Place }[] {
  const bodies = operation.body === undefined ? [] : [operation.body];
  return [...operation.parameters, ...bodies, ...operation.responses].flatMap((part) =>
    part.schema === undefined ? [] : [{ schema: part.schema, place: part.place }],
  );
}
