import { isRecord, mapRecord, recordOf, referenceTo } from "../schema.ts";
import { type Document, namedIn } from "./bundled.ts";

/** For a server whose paths are secondary: their operations need separate names. */
const SUFFIX = "x-operation-suffix";

/**
 * Returns the document with one server. Where the servers differ in the prefix of their paths, every path exists once for each. Most tools
 * read a server's path as a place, not as a part of the interface.
 */
export function routed(document: Document): Document {
  const servers = Array.isArray(document.servers) ? document.servers.map(recordOf) : [];
  const urls = servers.map(({ url }) => String(url));
  const base = urls.toSorted((left, right) => left.length - right.length)[0] ?? "";
  if (servers.length < 2 || !urls.every((url) => url.startsWith(base))) return document;
  const paths = servers.map((server, index) =>
    pathsBelow(document, server, String(urls[index]).slice(base.length)),
  );
  const { [SUFFIX]: _suffix, description: _about, ...server } = servers[urls.indexOf(base)] ?? {};
  return { ...document, servers: [server], paths: Object.assign({}, ...paths) };
}

function pathsBelow(document: Document, server: Document, prefix: string): Document {
  const variables = recordOf(server.variables);
  const parameters = [...prefix.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) =>
    parameterOf(name, recordOf(variables[name]), document),
  );
  const items = Object.entries(recordOf(document.paths)).map(([path, item]) => [
    `${prefix}${path}`,
    below(recordOf(item), parameters, String(server[SUFFIX] ?? "")),
  ]);
  return Object.fromEntries(items);
}

function below(item: Document, parameters: readonly object[], suffix: string): Document {
  const named = mapRecord(item, (operation) =>
    isRecord(operation) && typeof operation.operationId === "string"
      ? { ...operation, operationId: `${operation.operationId}${suffix}` }
      : operation,
  );
  const own = Array.isArray(item.parameters) ? item.parameters : [];
  return parameters.length === 0 ? named : { ...named, parameters: [...parameters, ...own] };
}

/** A server's variable is a text; the schema of the same name describes it better. */
function parameterOf(name: string, variable: Document, document: Document): object {
  const { description, default: example } = variable;
  const schemaName = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return {
    name,
    in: "path",
    required: true,
    ...(typeof description === "string" && { description }),
    schema: schemaName in namedIn(document) ? { $ref: referenceTo(schemaName) } : { type: "string" },
    ...(example !== undefined && { example }),
  };
}
