import type { PactFile, PactInteraction } from "../contracts.ts";
import { isObject, type OpenApiDocument } from "./document.ts";
import type { Described } from "./operations.ts";

/** One thing that the comparator has to say, as far as it is read here. */
export interface Result {
  code: string;
  message: string;
  mockDetails?: { location: string };
  specDetails?: { location: string };
}

/** Its own types name their files in a way that Node's resolution does not find. */
interface ComparatorPackage {
  Comparator: new (documents: { oas: unknown }) => { compare(pact: unknown): AsyncIterable<Result> };
}

/** What the comparator says of one interaction. */
export type CompareInteraction = (interaction: PactInteraction) => Promise<Result[]>;

/** The document with only the contract's operations, below the provider's base URL. */
export async function createComparison(
  document: OpenApiDocument,
  operations: readonly Described[],
  contract: PactFile,
): Promise<CompareInteraction> {
  const { Comparator } = (await import("@pactflow/openapi-pact-comparator")) as unknown as ComparatorPackage;
  const { servers: _servers, basePath: _basePath, ...rest } = document;
  const oas = loosened({ ...rest, paths: pathsOf(operations) });
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
 * A pact's body is only the part of an answer that the consumer reads. The comparator therefore drops `required`, and then more than
 * one branch of a `oneOf` may match: any will do.
 */
function loosened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(loosened);
  if (!isObject(value)) return value;
  const { discriminator: _discriminator, ...rest } = value;
  const entries = Object.entries(Array.isArray(value.oneOf) ? rest : value).map(([name, each]) => [
    name === "oneOf" && Array.isArray(each) ? "anyOf" : name,
    loosened(each),
  ]);
  return Object.fromEntries(entries);
}
