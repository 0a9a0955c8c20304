import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ComparedDocument } from "../../scripts/contract-diff/change.ts";
import { compare } from "../../scripts/contract-diff/compare.ts";
import { compiler, validatorFor } from "../../scripts/emit/ajv/compile.ts";
import type { Schema, SchemaObject } from "../../scripts/emit/schema.ts";

/** A member that no document names: any sender may add it to an open object. */
export const FRESH = "z";

type Folder = string;

export function writeSides(folder: Folder, file: string, before: object, after: object): void {
  for (const [side, document] of [
    ["base", before],
    ["revision", after],
  ] as const) {
    mkdirSync(join(folder, side), { recursive: true });
    writeFileSync(join(folder, side, file), JSON.stringify(document));
  }
}

const INFO = { title: "t", version: "1.0.0" };

/** A document of providers, which the platform calls: `schema` in a request and in a response. */
function provider(schema: Schema): object {
  const content = { "application/json": { schema } };
  return {
    openapi: "3.1.0",
    info: INFO,
    paths: {
      "/in": {
        post: { requestBody: { required: true, content }, responses: { "204": { description: "." } } },
      },
      "/out": { get: { responses: { "200": { description: ".", content } } } },
    },
  };
}

/** Events that providers send to the platform: `schema` in an event, and in the reply to another one. */
function events(schema: Schema): object {
  return {
    asyncapi: "3.0.0",
    info: INFO,
    channels: {
      events: { address: "/e", messages: { one: { name: "one", payload: schema } } },
      replies: { messages: { two: { name: "two", payload: schema } } },
    },
    operations: {
      send: {
        action: "send",
        channel: { $ref: "#/channels/events" },
        reply: { channel: { $ref: "#/channels/replies" } },
      },
    },
  };
}

/** Returns whom the changes of a schema break, by where it is used. */
export function brokenBy(
  folder: Folder,
  before: Schema,
  after: Schema,
): Record<"in" | "out" | "event" | "reply", string> {
  writeSides(folder, "provider.openapi.yaml", provider(before), provider(after));
  writeSides(folder, "events.asyncapi.yaml", events(before), events(after));
  const changes = compare(folder).flatMap((document: ComparedDocument) => document.changes);
  const at = (place: string) =>
    [...new Set(changes.filter((change) => change.place.includes(place)).flatMap(({ breaks }) => breaks))]
      .sort()
      .join();
  return { in: at("/in"), out: at("/out"), event: at("message one"), reply: at("message two") };
}

/** Returns whom a change breaks by what is refused: `now` by the new receiver, `before` by the old one. */
export function expectedOf(now: boolean, before: boolean): ReturnType<typeof brokenBy> {
  const sides = (sender: string, receiver: string) =>
    [...(now ? [sender] : []), ...(before ? [receiver] : [])].sort().join();
  const [toProviders, toPlatform] = [sides("platform", "providers"), sides("providers", "platform")];
  return { in: toProviders, out: toPlatform, event: toPlatform, reply: toProviders };
}

/** Returns whether a schema accepts a value, by the validators that are generated from it. */
export function acceptor(schema: Schema): (value: unknown) => boolean {
  return validatorFor(compiler({ Whole: schema }, "fast"), schema);
}

/**
 * Returns whether a sender by a schema sends a value: it is valid, and its members are declared, or new to both documents. It is written from
 * the rule, without the code under test.
 */
export function isSent(schema: Schema, value: unknown): boolean {
  return acceptor(schema)(value) && isDeclared([schema], value);
}

function isDeclared(schemas: readonly Schema[], value: unknown): boolean {
  const parts = schemas.flatMap((schema) => partsOf(schema, value));
  if (Array.isArray(value)) {
    return value.every((item, index) =>
      isDeclared(
        parts
          .map(({ prefixItems, items }) => prefixItems?.[index] ?? items)
          .filter((each) => each !== undefined),
        item,
      ),
    );
  }
  if (typeof value !== "object" || value === null) return true;
  const names = parts.flatMap(declaredIn);
  return Object.entries(value).every(([name, member]) => {
    const below = parts.flatMap((part) => memberIn(part, name));
    const isListed = names.length === 0 || names.includes(name) || name === FRESH;
    return (isListed || below.length > 0) && isDeclared(below, member);
  });
}

function declaredIn({
  properties,
  required = [],
  dependentRequired = {},
  dependentSchemas,
  patternProperties,
}: SchemaObject) {
  const keys = Object.keys({
    ...properties,
    ...dependentRequired,
    ...dependentSchemas,
    ...patternProperties,
  });
  return [...keys, ...required, ...Object.values(dependentRequired).flat()];
}

function memberIn(
  { properties = {}, patternProperties = {}, additionalProperties, unevaluatedProperties }: SchemaObject,
  name: string,
): Schema[] {
  const matching = Object.entries(patternProperties).filter(([pattern]) =>
    new RegExp(pattern, "u").test(name),
  );
  const found = [
    ...(name in properties ? [properties[name] ?? true] : []),
    ...matching.map(([, schema]) => schema),
  ];
  const rest = additionalProperties ?? unevaluatedProperties;
  return found.length > 0 ? found : typeof rest === "object" ? [rest] : [];
}

/** Returns the schemas that apply to a value: of a `oneOf`, the branch that it matches. */
function partsOf(schema: Schema, value: unknown): SchemaObject[] {
  if (typeof schema === "boolean") return [];
  const {
    allOf = [],
    anyOf = [],
    oneOf = [],
    if: condition,
    then,
    else: otherwise,
    dependentSchemas = {},
  } = schema;
  const chosen = oneOf.filter((branch) => acceptor(branch)(value));
  const others = [condition, then, otherwise, ...Object.values(dependentSchemas)].filter(
    (each) => each !== undefined,
  );
  return [schema, ...[...allOf, ...anyOf, ...chosen, ...others].flatMap((part) => partsOf(part, value))];
}
