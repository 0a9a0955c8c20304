import type { Difference } from "./redocly.ts";

/** Decides which end of a channel fails. The client reads, the server sends. */
interface Broken {
  client?: true;
  server?: true;
}

const READER: Broken = { client: true };
const SENDER: Broken = { server: true };
const BOTH: Broken = { client: true, server: true };

/**
 * Rates what redocly rates in OpenAPI only, or not at all: tokens, `oneOf` and similar keywords, headers and whole payloads, the names
 * of messages and the values of an address. A wider form breaks readers, a narrower one breaks senders.
 */
export function breaksInAsyncapi(difference: Difference): Broken | undefined {
  if (!/^#\/(channels|operations|servers|components\/messages|$)/.test(difference.path)) return undefined;
  return credentials(difference) ?? messages(difference) ?? combinators(difference) ?? addresses(difference);
}

const SCHEME_FIELDS = ["type", "scheme", "in", "name", "bearerFormat", "openIdConnectUrl"];

function credentials({ typeName, kind, property, path }: Difference): Broken | undefined {
  if (typeName === "SecuritySchemeList" && kind === "added") return SENDER;
  if (typeName === "SecuritySchemeList" && kind === "removed") return READER;
  if (typeName !== "SecurityScheme" || !/\/security\/\d+$/.test(path)) return undefined;
  if (kind === "modified") return SCHEME_FIELDS.includes(property ?? "") ? BOTH : undefined;
  return kind === "added" ? READER : SENDER;
}

function messages({ typeName, kind, property, path }: Difference): Broken | undefined {
  if (typeName === "Message" && property === "name") return BOTH;
  if (typeName === "Root" && property === "defaultContentType") return BOTH;
  if (typeName !== "Schema" || !/\/messages\/[^/]+\/(headers|payload)$/.test(path)) return undefined;
  if (kind === "modified") return undefined;
  return kind === "added" ? SENDER : READER;
}

function combinators({ typeName, kind, path }: Difference): Broken | undefined {
  const [, combinator, branch] = /\/(allOf|anyOf|oneOf)(\/\d+)?$/.exec(path) ?? [];
  if (!combinator || kind === "modified" || !/^Schema(List)?$/.test(typeName)) return undefined;
  const narrows = branch === undefined || combinator === "allOf" ? kind === "added" : kind === "removed";
  return narrows ? SENDER : READER;
}

/** An AsyncAPI parameter lists its values directly; an OpenAPI parameter has them in a schema. */
function addresses({ typeName, property, base, revision }: Difference): Broken | undefined {
  if (typeName !== "Parameter" || property !== "enum") return undefined;
  const before = base?.value as unknown[] | undefined;
  const after = revision?.value as unknown[] | undefined;
  const wider = !after || (before && after.some((value) => !before.includes(value)));
  const narrower = !before || (after && before.some((value) => !after.includes(value)));
  return { ...(wider && READER), ...(narrower && SENDER) };
}
