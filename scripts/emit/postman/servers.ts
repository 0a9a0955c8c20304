import type { Part, Reader } from "./reader.ts";
import type { Variables } from "./variables.ts";

/** One way to address every operation. */
export interface Server {
  readonly name: string;
  /** The part of the URL below the base URL, with variables: `/providers/{{providerId}}`. */
  readonly prefix: string;
  /** The variables in the prefix. */
  readonly inPrefix: ReadonlySet<string>;
}

/** The server of a document without servers (OpenAPI 3.1, section 4.8.1). */
const DEFAULT: Part = { url: "/" };
const ADDRESS = /^(?<origin>[a-z]+:\/\/[^/]+)?(?<prefix>\/.*?)?\/?$/;
const PLACEHOLDER = /\{([^}]+)\}/g;

/** Returns the servers of a document; the variables of the host become one, `baseUrl`. */
export function serversOf(reader: Reader, variables: Variables): Server[] {
  const servers = reader.list(reader.document.servers);
  return (servers.length > 0 ? servers : [DEFAULT]).map((server) => serverOf(server, reader, variables));
}

function serverOf(server: Part, reader: Reader, variables: Variables): Server {
  const { origin = "", prefix = "" } = ADDRESS.exec(String(server.url))?.groups ?? {};
  const own = new Map(reader.parts(server.variables));
  const host = origin.replaceAll(PLACEHOLDER, (_all, name: string) => String(own.get(name)?.default ?? name));
  variables.use("baseUrl", host, "Where the API is.");
  const names = [...prefix.matchAll(PLACEHOLDER)].map(([, name = ""]) => name);
  for (const name of names) variables.use(name, own.get(name)?.default, own.get(name)?.description);
  return {
    name: String(server.description ?? server.url),
    prefix: prefix.replaceAll(PLACEHOLDER, "{{$1}}"),
    inPrefix: new Set(names),
  };
}
