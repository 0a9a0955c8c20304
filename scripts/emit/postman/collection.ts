import type { SpecDocument } from "../bundle.ts";
import { isRecord } from "../schema.ts";
import { type Part, type Reader, readerOf } from "./reader.ts";
import { type Context, type Placed, requestsOf } from "./request.ts";
import { serversOf } from "./servers.ts";
import { Variables } from "./variables.ts";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const METHODS = ["get", "put", "post", "delete", "patch"];

/** Returns a Postman collection (format 2.1): a folder for each routing of the operations, with one for each tag. */
export function emitCollection(document: SpecDocument, banner: string): string {
  const reader = readerOf(document);
  const variables = new Variables();
  const servers = serversOf(reader, variables);
  variables.use("token", "", "The bearer token of every request.");
  const addressed = new Set(servers.flatMap(({ inPrefix }) => [...inPrefix]));
  const operations = placedOf(reader);
  const folders = servers.map((server): { name: string; item: object[] } => ({
    name: server.name,
    item: tagFolders(operations, { reader, variables, server, addressed }),
  }));
  const info = reader.part(reader.document.info);
  const collection = {
    info: { description: `${banner}\n\n${info.summary ?? info.title}`, name: info.title, schema: SCHEMA },
    auth: { type: "bearer", bearer: [{ key: "token", value: "{{token}}", type: "string" }] },
    item: folders.length === 1 ? folders[0]?.item : folders,
    variable: variables.printed(),
  };
  return `${JSON.stringify(collection)}\n`;
}

function placedOf(reader: Reader): Placed[] {
  return reader.parts(reader.document.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => isRecord(item[method])).map((method) => {
      const operation = reader.part(item[method]);
      return { method, path, operation, parameters: parametersOf(item, operation, reader) };
    }),
  );
}

/** An operation's own parameter overrides its path's. */
function parametersOf(item: Part, operation: Part, reader: Reader): Part[] {
  const all = [...reader.list(item.parameters), ...reader.list(operation.parameters)];
  return [...new Map(all.map((each) => [`${each.in} ${each.name}`, each])).values()];
}

function tagFolders(operations: readonly Placed[], context: Context): object[] {
  const { reader } = context;
  const byTag = Map.groupBy(operations, ({ operation }) =>
    Array.isArray(operation.tags) ? String(operation.tags[0]) : "",
  );
  const abouts = new Map(
    reader.list(reader.document.tags).map(({ name, description }) => [name, description]),
  );
  return [...byTag].flatMap(([tag, placed]) => {
    const item = placed.flatMap((each) => requestsOf(each, context));
    const description = abouts.get(tag);
    return tag === "" ? item : [{ name: tag, ...(description !== undefined && { description }), item }];
  });
}
