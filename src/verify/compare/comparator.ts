import type { PactFile, PactInteraction } from "../contracts.ts";
import { isObject } from "../json-object.ts";
import type { OpenApiDocument } from "./document.ts";
import type { Described } from "./operations.ts";

/** One result of the comparator, with the members that are read here. */
export interface Result {
  code: string;
  message: string;
  mockDetails?: { location: string };
  specDetails?: { location: string };
}

/** The package's type files cannot be resolved by Node. */
interface ComparatorPackage {
  Comparator: new (documents: { oas: unknown }) => { compare(pact: unknown): AsyncIterable<Result> };
}

/** Returns the comparator's results for one interaction. */
export type CompareInteraction = (interaction: PactInteraction) => Promise<Result[]>;

/** Compares against the document's operations of the contract, below the provider's base URL. */
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
 * Loosens `oneOf` to `anyOf`. A pact contains only the fields that the consumer reads, so the comparator drops `required`. Then more
 * than one branch of a `oneOf` may match.
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
