import { isRecord, referredName } from "../schema.ts";
import type { Example, Part, Reader } from "./reader.ts";
import type { Server } from "./servers.ts";
import type { Variables } from "./variables.ts";

/** An operation with its path, and the parameters of that path. */
export interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Part;
  readonly parameters: readonly Part[];
}

export interface Context {
  readonly reader: Reader;
  readonly variables: Variables;
  readonly server: Server;
  /** Variables in the URL of some server: requests to the others need them in a header. */
  readonly addressed: ReadonlySet<string>;
}

/** Returns one request for each example of the body, with the examples of the responses. */
export function requestsOf(placed: Placed, context: Context): object[] {
  const { operation } = placed;
  const bodies = bodiesOf(operation, context.reader);
  const title = String(operation.summary ?? operation.operationId);
  return bodies.map(({ name, value }) => {
    const request = requestOf(placed, value, context);
    return {
      name: bodies.length > 1 && name !== "" ? `${title}: ${name}` : title,
      request: {
        ...request,
        ...(operation.description !== undefined && { description: operation.description }),
      },
      response: responsesOf(operation, request, context.reader),
    };
  });
}

const NO_BODY: readonly Example[] = [{ name: "", value: undefined }];

function bodiesOf(operation: Part, reader: Reader): readonly Example[] {
  const media = jsonOf(reader.part(operation.requestBody), reader);
  const examples = media === undefined ? [] : reader.examples(media.part, true);
  return examples.length === 0 ? NO_BODY : examples;
}

function requestOf({ method, path, operation, parameters }: Placed, body: unknown, context: Context): object {
  const { variables, server } = context;
  const isOpen = Array.isArray(operation.security) && operation.security.length === 0;
  const header = parametersIn("header", parameters, context);
  const query = parametersIn("query", parameters, context);
  const steps = `${server.prefix}${pathOf(path, parameters, context)}`.split("/").slice(1);
  const shown = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`);
  return {
    method: method.toUpperCase(),
    ...(isOpen && { auth: { type: "noauth" } }),
    header: body === undefined ? header : [{ key: "Content-Type", value: "application/json" }, ...header],
    url: {
      raw: `{{baseUrl}}/${steps.join("/")}${shown.length > 0 ? `?${shown.join("&")}` : ""}`,
      host: ["{{baseUrl}}"],
      path: steps,
      ...(query.length > 0 && { query }),
    },
    ...(body !== undefined && { body: bodyOf(variables.within(body)) }),
  };
}

function bodyOf(value: unknown): object {
  return { mode: "raw", raw: JSON.stringify(value, undefined, 2), options: { raw: { language: "json" } } };
}

function pathOf(path: string, parameters: readonly Part[], { reader, variables }: Context): string {
  return path.replaceAll(/\{([^}]+)\}/g, (_all, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name) ?? {};
    return variables.use(name, reader.exampleOf(parameter), parameter.description);
  });
}

interface Value {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
  readonly disabled?: true;
}

/** Parameters with an example are sent; the others are listed, but disabled. */
function parametersIn(place: string, parameters: readonly Part[], context: Context): Value[] {
  return parameters.flatMap((parameter) => {
    if (parameter.in !== place) return [];
    const variable = variableOf(parameter);
    const isVariable = variable !== undefined && context.addressed.has(variable);
    if (isVariable && context.server.inPrefix.has(variable)) return [];
    const key = String(parameter.name);
    const shown = context.reader.exampleOf(parameter);
    const example = isVariable ? `{{${variable}}}` : context.variables.identified(key, shown);
    return {
      key,
      value: String(example ?? ""),
      ...(typeof parameter.description === "string" && { description: parameter.description }),
      ...(example === undefined && parameter.required !== true && { disabled: true as const }),
    };
  });
}

/** A header whose schema is `ProviderId` carries the `providerId` of the URL. */
function variableOf({ schema }: Part): string | undefined {
  const name = isRecord(schema) && typeof schema.$ref === "string" ? referredName(schema.$ref) : undefined;
  return name === undefined ? undefined : name.slice(0, 1).toLowerCase() + name.slice(1);
}

function responsesOf(operation: Part, originalRequest: object, reader: Reader): object[] {
  return reader.parts(operation.responses).flatMap(([status, response]) => {
    const media = jsonOf(response, reader);
    if (media === undefined || status === "default") return [];
    return reader.examples(media.part, false).map(({ name, value }) => ({
      name: name === "" ? String(response.description) : name,
      originalRequest,
      code: Number(status),
      _postman_previewlanguage: "json",
      header: [{ key: "Content-Type", value: media.type }],
      body: JSON.stringify(value, undefined, 2),
    }));
  });
}

function jsonOf(holder: Part, reader: Reader): { type: string; part: Part } | undefined {
  const [type, part] = reader.parts(holder.content).find(([name]) => name.includes("json")) ?? [];
  return type === undefined || part === undefined ? undefined : { type, part };
}
