import type { Request } from "express";
import { readContent } from "./body.ts";
import type { OperationInfo } from "./operation.ts";
import { headerValues, pathValues, queryValues, type Values } from "./parameters.ts";
import { ProblemError } from "./problem.ts";
import type { FieldError, Validator } from "./validator.ts";

export type { Values };

/** The validators for one operation's request; a part without parameters has none. */
export interface RequestValidators {
  readonly path?: Validator<unknown>;
  readonly query?: Validator<unknown>;
  readonly headers?: Validator<unknown>;
  readonly body?: Validator<unknown>;
}

/** The input of a handler, before its types are known. */
interface RequestValues extends Values {
  path: Values;
  query: Values;
  headers: Values;
  body: unknown;
  raw: Request;
}

/**
 * Returns a function that reads, decodes and validates the requests of one operation.
 * The function throws a ProblemError that lists every fault of the request.
 */
export function requestReader(
  operation: OperationInfo,
  validators: RequestValidators,
  limit: number,
): (request: Request) => Promise<RequestValues> {
  const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query");
  const inHeader = operation.parameters.filter((parameter) => parameter.in === "header");
  const { body: declared } = operation;
  const rule = declared && { ...declared, limit: Math.min(limit, declared.limit ?? limit) };
  const bodyRequired = declared?.required === true;
  return async (raw) => {
    const body = rule === undefined ? undefined : await readContent(raw, rule);
    const path = pathValues(raw, inPath);
    const query = queryValues(raw, inQuery);
    const headers = headerValues(raw, inHeader);
    const values = { path, query, headers, body, raw };
    if (!isValid(values, validators, bodyRequired)) throw invalid(values, validators, bodyRequired);
    return values;
  };
}

function isValid(values: RequestValues, validators: RequestValidators, bodyRequired: boolean): boolean {
  return (
    (validators.path === undefined || validators.path(values.path)) &&
    (validators.query === undefined || validators.query(values.query)) &&
    (validators.headers === undefined || validators.headers(values.headers)) &&
    (validators.body === undefined ||
      (values.body === undefined ? !bodyRequired : validators.body(values.body)))
  );
}

function invalid(values: RequestValues, validators: RequestValidators, bodyRequired: boolean): ProblemError {
  const errors: FieldError[] = [];
  for (const part of ["path", "query", "headers"] as const) {
    for (const { pointer, message } of validators[part]?.errorsOf(values[part]) ?? []) {
      errors.push({ pointer: `#/${part}${pointer}`, message });
    }
  }
  if (values.body !== undefined) errors.push(...(validators.body?.errorsOf(values.body) ?? []));
  else if (bodyRequired) errors.push({ pointer: "", message: "is missing" });
  return new ProblemError(400, "validation_failed", { detail: "The request is not valid.", errors });
}
