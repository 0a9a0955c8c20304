import type { Request } from "express";
import type { ParameterInfo } from "./operation.ts";

export type Values = Record<string, unknown>;

/** Returns the declared path parameters; routing has already decoded them. */
export function pathValues(request: Request, parameters: readonly ParameterInfo[]): Values {
  const values: Values = {};
  for (const parameter of parameters) {
    const text = request.params[parameter.name];
    if (typeof text === "string") values[parameter.name] = coerce(text, parameter.type);
  }
  return values;
}

/** Returns the declared query parameters. A single value that is given twice stays a list, which no scalar schema allows. */
export function queryValues(request: Request, parameters: readonly ParameterInfo[]): Values {
  const values: Values = {};
  const start = request.url.indexOf("?");
  if (start < 0) return values;
  const query = new URLSearchParams(request.url.slice(start + 1));
  for (const parameter of parameters) {
    const texts = query.getAll(parameter.name);
    if (texts.length === 0) continue;
    const isList = texts.length > 1 || parameter.list !== undefined;
    const read = texts.map((text) => coerce(text, parameter.type));
    values[parameter.name] = isList ? read : read[0];
  }
  return values;
}

export function headerValues(request: Request, parameters: readonly ParameterInfo[]): Values {
  const values: Values = {};
  for (const parameter of parameters) {
    const text = request.headers[parameter.name.toLowerCase()];
    if (typeof text === "string") values[parameter.name] = coerce(text, parameter.type);
  }
  return values;
}

const INTEGER = /^-?\d+$/;
const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Returns the value that the text encodes. Other text stays text, and its validator reports what is expected. */
function coerce(text: string, type: ParameterInfo["type"]): unknown {
  if (type === "integer") return INTEGER.test(text) ? Number(text) : text;
  if (type === "number") return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
}
