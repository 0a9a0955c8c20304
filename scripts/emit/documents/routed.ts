import { isRecord, mapRecord, referenceTo } from "../schema.ts";
import type { Document } from "./bundled.ts";

/** For a server whose paths are secondary: their operations need separate names. */
const SUFFIX = "x-operation-suffix";

interface Server {
  readonly url: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly suffix: string;
}

/**
 * Returns the document with one server. Where the servers differ in the prefix of their paths, every path exists once for each. Most tools
 * read a server's path as a place, not as a part of the interface.
 */
export function routed(document: Document): Document {
  const servers = serversOf(document);
  const [base, ...others] = servers.map(({ url }) => url).sort((left, right) => left.length - right.length);
  if (base === undefined || others.length === 0 || !others.every((url) => url.startsWith(base)))
    return document;
  const { paths } = document;
  const all = servers.map((server) =>
    pathsBelow(isRecord(paths) ? paths : {}, server, server.url.slice(base.length), document),
  );
  const root = (document.servers as unknown[]).find((each) => isRecord(each) && each.url === base);
  const { [SUFFIX]: _suffix, description: _about, ...server } = root as Record<string, unknown>;
  return { ...document, servers: [server], paths: Object.assign({}, ...all) };
}

function serversOf({ servers }: Document): Server[] {
  return (Array.isArray(servers) ? servers.filter(isRecord) : []).map((server) => ({
    url: String(server.url),
    variables: isRecord(server.variables) ? server.variables : {},
    suffix: String(server[SUFFIX] ?? ""),
  }));
}

function pathsBelow(
  paths: Readonly<Record<string, unknown>>,
  server: Server,
  prefix: string,
  document: Document,
): Document {
  const parameters = [...prefix.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    parameterOf(name, server.variables[name], document),
  );
  const items = Object.entries(paths).map(([path, item]) => [
    `${prefix}${path}`,
    isRecord(item) ? below(item, parameters, server.suffix) : item,
  ]);
  return Object.fromEntries(items);
}

function below(
  item: Readonly<Record<string, unknown>>,
  parameters: readonly object[],
  suffix: string,
): Document {
  const named = mapRecord(item, (operation) =>
    isRecord(operation) && typeof operation.operationId === "string"
      ? { ...operation, operationId: `${operation.operationId}${suffix}` }
      : operation,
  );
  if (parameters.length === 0) return named;
  return {
    ...named,
    parameters: [...parameters, ...(Array.isArray(item.parameters) ? item.parameters : [])],
  };
}

/** A server's variable is a text; the schema of the same name describes it better. */
function parameterOf(name: string, variable: unknown, { components }: Document): object {
  const schemas = isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
  const schemaName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const { description, default: example } = isRecord(variable) ? variable : {};
  return {
    name,
    in: "path",
    required: true,
    ...(typeof description === "string" && { description }),
    schema: schemaName in schemas ? { $ref: referenceTo(schemaName) } : { type: "string" },
    ...(example !== undefined && { example }),
  };
}
