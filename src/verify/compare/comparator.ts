import type { PactFile, PactInteraction } from "../contracts.ts";
import { isObject } from "../json-object.ts";
import { dereferenced, type OpenApiDocument } from "./document.ts";
import type { Described } from "./operations.ts";

export interface Result {
  code: string;
  message: string;
  mockDetails?: { location: string };
  specDetails?: { location: string };
}

/** How deep `allOf` is followed. */
const DEEPEST = 8;

/** The package's type files cannot be resolved by Node. */
interface ComparatorPackage {
  Comparator: new (documents: { oas: unknown }) => { compare(pact: unknown): AsyncIterable<Result> };
}

export type CompareInteraction = (interaction: PactInteraction) => Promise<Result[]>;

/** Compares against the document's operations of the contract, below the provider's base URL. */
export async function createComparison(
  document: OpenApiDocument,
  operations: readonly Described[],
  contract: PactFile,
): Promise<CompareInteraction> {
  const { Comparator } = (await import("@pactflow/openapi-pact-comparator")) as unknown as ComparatorPackage;
  const { servers: _servers, basePath: _basePath, ...rest } = document;
  const oas = adapted({ ...rest, paths: pathsOf(operations) }, document);
  const comparator = new Comparator({ oas });
  return async (interaction) => {
    const results: Result[] = [];
    const pact = { metadata: contract.metadata, interactions: [interaction] };
    for await (const result of comparator.compare(pact)) results.push(result);
    return results;
  };
}

function pathsOf(operations: readonly Described[]): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { path, method, item } of operations) {
    const operation = item[method];
    paths[path] = {
      ...paths[path],
      ...(item.parameters !== undefined && { parameters: item.parameters }),
      [method]: isObject(operation)
        ? { ...operation, responses: operation.responses ?? {} }
        : { responses: {} },
    };
  }
  return paths;
}

/**
 * Adapts schemas to how the comparator uses them. A pact contains only the fields that the consumer reads, so the comparator drops
 * `required` from responses: then more than one branch of a `oneOf` may match, and `oneOf` becomes `anyOf`. In requests `required`
 * stays, but not for a property with `readOnly`, which OpenAPI requires in responses only.
 */
function adapted(value: unknown, document: OpenApiDocument, outer: readonly string[] = []): unknown {
  if (Array.isArray(value)) return value.map((each) => adapted(each, document, outer));
  if (!isObject(value)) return value;
  const readOnly = [...outer, ...readOnlyIn(value, document)];
  const { discriminator, required, ...rest } = value;
  const entries = Object.entries(rest).map(([name, each]) => [
    name === "oneOf" && Array.isArray(each) ? "anyOf" : name,
    adapted(each, document, name === "allOf" ? readOnly : []),
  ]);
  return {
    ...Object.fromEntries(entries),
    ...(discriminator !== undefined && !Array.isArray(value.oneOf) && { discriminator }),
    ...(required !== undefined && {
      required: Array.isArray(required) ? required.filter((name) => !readOnly.includes(name)) : required,
    }),
  };
}

/** Returns the names of properties with `readOnly`, those of `allOf` included. */
function readOnlyIn(schema: unknown, document: OpenApiDocument, depth = 0): string[] {
  const { properties, allOf } = dereferenced(schema, document);
  const own = Object.entries(isObject(properties) ? properties : {}).filter(
    ([, property]) =>
      (isObject(property) && property.readOnly === true) ||
      dereferenced(property, document).readOnly === true,
  );
  const branches = Array.isArray(allOf) && depth < DEEPEST ? allOf : [];
  return [...own.map(([name]) => name), ...branches.flatMap((each) => readOnlyIn(each, document, depth + 1))];
}
