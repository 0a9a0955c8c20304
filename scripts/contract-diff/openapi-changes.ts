import type { Located } from "../emit/located.ts";
import { recordOf } from "../emit/schema.ts";
import { BOTH, type Broken, CLIENT, NONE, SERVER } from "./report.ts";
import type { Flow } from "./schema-changes.ts";
import { type Pair, shapeOf, type Walk } from "./walk.ts";

const METHODS = ["get", "put", "post", "delete", "patch", "head", "options", "trace"];

/** Compares OpenAPI documents: the client calls, the server answers. Additions break neither, as no client relies on them at once. */
export function openapiChanges(walk: Walk): void {
  const { root } = walk;
  walk.others(root, "the document", ["openapi", "info", "servers", "paths", "components", "security"]);
  walk.others(walk.below(root, "info"), "the document", []);
  servers(walk);
  const paths = walk.members(walk.below(root, "paths"));
  for (const [, names] of byShape(paths)) pathChanges(walk, paths, names);
  componentChanges(walk);
}

/** Returns the paths of both documents by their shape. */
function byShape(paths: ReadonlyMap<string, Pair>): Map<string, { a?: string; b?: string }> {
  const found = new Map<string, { a?: string; b?: string }>();
  for (const [name, { a, b }] of paths) {
    const shape = shapeOf(name);
    found.set(shape, { ...found.get(shape), ...(a && { a: name }), ...(b && { b: name }) });
  }
  return found;
}

function pathChanges(walk: Walk, paths: ReadonlyMap<string, Pair>, names: { a?: string; b?: string }): void {
  const name = names.b ?? names.a ?? "";
  const path = { a: paths.get(names.a ?? "")?.a, b: paths.get(names.b ?? "")?.b };
  if (!walk.isInBoth(path, name, `Path \`${name}\``, { removed: CLIENT })) return;
  if (names.a !== names.b) walk.report(path, name, `\`${names.a}\` became \`${names.b}\`.`, NONE);
  walk.others(path, name, [...METHODS, "parameters"]);
  for (const method of METHODS) {
    const operation = walk.below(path, method);
    const place = `${method.toUpperCase()} ${name}`;
    if (!walk.isInBoth(operation, place, `Operation \`${method}\``, { removed: CLIENT })) continue;
    walk.others(operation, place, ["operationId", "parameters", "requestBody", "responses", "security"]);
    walk.value(operation, "operationId", place, NONE, { kind: "notice" });
    parameters(walk, path, operation, { ...names, place, name });
    requestBody(walk, operation, place);
    responses(walk, operation, place);
    security(walk, operation, place);
  }
}

interface PathNames {
  readonly a?: string;
  readonly b?: string;
  readonly name: string;
  readonly place: string;
}

function parameters(walk: Walk, path: Pair, operation: Pair, names: PathNames): void {
  const keyed = (template: string | undefined) => (item: Located) => keyOf(item, template ?? "");
  const found = new Map<string, Pair & { isOfPath: boolean }>();
  for (const [holder, isOfPath] of [
    [path, true],
    [operation, false],
  ] as const) {
    const list = walk.below(holder, "parameters");
    const before = walk.members({ a: list.a }, keyed(names.a));
    const after = walk.members({ b: list.b }, keyed(names.b));
    for (const [key, pair] of [...after, ...before]) found.set(key, { isOfPath, ...found.get(key), ...pair });
  }
  for (const pair of found.values()) parameter(walk, pair, pair.isOfPath ? names.name : names.place);
}

/** Another name of a path parameter does not change the URL; headers have no capital letters. */
function keyOf({ value }: Located, template: string): string {
  const { name, in: where } = recordOf(value);
  if (where === "path")
    return `path ${[...template.matchAll(/\{([^}]*)\}/g)].findIndex(([, each]) => each === name)}`;
  return `${where} ${where === "header" ? String(name).toLowerCase() : name}`;
}

function parameter(walk: Walk, pair: Pair, place: string): void {
  const { required, name } = recordOf((pair.b ?? pair.a)?.value);
  const missing = { added: required ? CLIENT : NONE, removed: required ? BOTH : CLIENT };
  if (!walk.isInBoth(pair, place, `Parameter \`${name}\``, missing)) return;
  walk.others(pair, place, ["name", "in", "required", "style", "explode", "schema"]);
  requiredness(walk, pair, place);
  const broken = formOf(pair.a) === formOf(pair.b) ? NONE : BOTH;
  walk.value(pair, "style", place, broken);
  walk.value(pair, "explode", place, broken);
  walk.schema(pair, "schema", place, "request");
}

function requiredness(walk: Walk, pair: Pair, place: string): void {
  const isRequired = (side: Located | undefined) => recordOf(side?.value).required === true;
  if (isRequired(pair.a) === isRequired(pair.b)) return;
  walk.value(pair, "required", place, isRequired(pair.b) ? CLIENT : SERVER);
}

/** Returns how the value of a parameter is written (OpenAPI 3.1, section 4.8.12.2.1). */
function formOf(side: Located | undefined): string {
  const {
    in: where,
    style = where === "query" || where === "cookie" ? "form" : "simple",
    explode = style === "form",
  } = recordOf(side?.value);
  return `${style} ${explode}`;
}

function requestBody(walk: Walk, operation: Pair, place: string): void {
  const body = walk.below(operation, "requestBody");
  const isRequired = recordOf((body.b ?? body.a)?.value).required === true;
  const broken = { added: isRequired ? CLIENT : NONE, removed: isRequired ? BOTH : CLIENT };
  if (!walk.isInBoth(body, place, "The request body", broken)) return;
  walk.others(body, place, ["required", "content"]);
  requiredness(walk, body, place);
  content(walk, body, place, "request", { added: SERVER, removed: CLIENT });
}

function content(
  walk: Walk,
  holder: Pair,
  place: string,
  flow: Flow,
  broken: { added: Broken; removed: Broken },
): void {
  for (const [type, media] of walk.members(walk.below(holder, "content"))) {
    if (!walk.isInBoth(media, place, `Media type \`${type}\``, broken)) continue;
    walk.others(media, place, ["schema", "example", "examples"]);
    walk.schema(media, "schema", place, flow);
  }
}

/** A server that still sends a removed response is no longer understood; a client knows each error as one, but not a new success. */
function responses(walk: Walk, operation: Pair, place: string): void {
  const all = walk.below(operation, "responses");
  const fallback = walk.below(all, "default");
  const statuses = walk.members(all);
  for (const [status, { a, b }] of statuses) {
    const covered = /^[45]/.test(status) ? fallback : {};
    const pair = { a: a ?? covered.a, b: b ?? covered.b };
    const isSuccess = /^[123]/.test(status);
    const broken = { added: isSuccess ? CLIENT : NONE, removed: SERVER };
    if (!a || !b) walk.isInBoth({ a, b }, place, `Response \`${status}\``, pair.a && pair.b ? {} : broken);
    if (pair.a && pair.b) response(walk, pair, place);
  }
}

function response(walk: Walk, pair: Pair, place: string): void {
  walk.others(pair, place, ["headers", "content"]);
  for (const [name, header] of walk.members(walk.below(pair, "headers"))) {
    if (!walk.isInBoth(header, place, `Header \`${name}\``, { removed: CLIENT })) continue;
    walk.others(header, place, ["schema", "required"]);
    const [was, is] = [header.a, header.b].map((side) => recordOf(side?.value).required === true);
    if (was !== is) walk.value(header, "required", place, is ? SERVER : CLIENT);
    walk.schema(header, "schema", place, "response");
  }
  const { a, b } = walk.below(pair, "content");
  const isBodiless = (side: Located | undefined) => Object.keys(recordOf(side?.value)).length === 0;
  // A client may ignore a body that it does not expect, but not miss the one that it does.
  const broken = { added: isBodiless(a) ? SERVER : CLIENT, removed: isBodiless(b) ? CLIENT : SERVER };
  content(walk, pair, place, "response", broken);
}

function security(walk: Walk, operation: Pair, place: string): void {
  const own = walk.below(operation, "security");
  const common = walk.below(walk.root, "security");
  const pair = { a: own.a ?? common.a, b: own.b ?? common.b };
  const schemes = walk.below(walk.root, "components", "securitySchemes");
  const known = Object.keys(recordOf(schemes.a?.value)).filter((name) => name in recordOf(schemes.b?.value));
  const [before, after]: [Access[], Access[]] = [
    securityOf(pair.a, schemes.a, known),
    securityOf(pair.b, schemes.b, known),
  ];
  const client = !before.every((each) => isAllowed(each, after));
  const server = !after.every((each) => isAllowed(each, before));
  if (client || server) walk.report(pair, place, "`security` changed.", { client, server });
}

/** What opens an operation together: schemes, each with its scopes. */
type Access = readonly string[];

/** Returns the alternatives of a list of requirements. A scheme whose name is not `known` to both documents is identified by its definition. */
function securityOf(
  list: Located | undefined,
  schemes: Located | undefined,
  known: readonly string[],
): Access[] {
  const idOf = (name: string) => {
    const { description: _, ...definition } = recordOf(recordOf(schemes?.value)[name]);
    return known.includes(name) ? name : JSON.stringify(definition);
  };
  const requirements = (list?.value ?? []) as Record<string, string[]>[];
  const alternatives = requirements.map((requirement) =>
    Object.entries(requirement).flatMap(([name, scopes]) => [
      idOf(name),
      ...scopes.map((scope) => `${idOf(name)} ${scope}`),
    ]),
  );
  return alternatives.length > 0 ? alternatives : [[]];
}

/** Returns whether what a caller presents is enough for one of the alternatives. */
const isAllowed = (given: Access, wanted: readonly Access[]): boolean =>
  wanted.some((each) => each.every((part) => given.includes(part)));

function servers(walk: Walk): void {
  const list = walk.below(walk.root, "servers");
  const found = walk.members(list, ({ value }) => shapeOf(recordOf(value).url));
  const isMoved = [...found.values()].every(({ a, b }) => !a || !b);
  for (const [, server] of found) {
    const { url } = recordOf((server.b ?? server.a)?.value);
    const place = `server ${url}`;
    if (!walk.isInBoth(server, place, `Server \`${url}\``, { removed: isMoved ? BOTH : CLIENT })) continue;
    walk.others(server, place, ["url", "variables"]);
    for (const [, variable] of walk.members(walk.below(server, "variables")))
      addressValues(walk, variable, place, CLIENT, NONE);
  }
}

/** Compares the listed values of a part of an address. */
export function addressValues(walk: Walk, pair: Pair, place: string, narrower: Broken, wider: Broken): void {
  walk.others(pair, place, ["enum", "default", "location"]);
  walk.value(pair, "default", place, NONE, { kind: "notice" });
  const [before, after] = [pair.a, pair.b].map((side) => recordOf(side?.value).enum as unknown[] | undefined);
  const isWithin = (few: unknown[] | undefined, many: unknown[] | undefined) =>
    !many || (few?.every((value) => many.includes(value)) ?? false);
  const broken = { ...(!isWithin(before, after) && narrower), ...(!isWithin(after, before) && wider) };
  walk.value(pair, "enum", place, broken);
}

const SCHEME = ["type", "scheme", "in", "name", "openIdConnectUrl"];

export function schemeChanges(walk: Walk, scheme: Pair, place: string): void {
  for (const key of SCHEME) walk.value(scheme, key, place, BOTH);
  walk.value(scheme, "bearerFormat", place, NONE, { kind: "notice" });
  walk.others(scheme, place, [...SCHEME, "bearerFormat"]);
}

/** Compares what no operation uses, or names once for all. */
export function componentChanges(walk: Walk): void {
  const components = walk.below(walk.root, "components");
  for (const [name, scheme] of walk.members(walk.below(components, "securitySchemes"))) {
    if (!walk.isInBoth(scheme, name, `Security scheme \`${name}\``, {})) continue;
    schemeChanges(walk, scheme, name);
  }
  for (const [name, schema] of walk.members(walk.below(components, "schemas"))) {
    const isComplete = (side: Located | undefined) => "x-completes" in recordOf(side?.value);
    const kind = isComplete(schema.b ?? schema.a) ? "advice" : "wording";
    walk.named(schema, name, "unused", kind);
  }
}
