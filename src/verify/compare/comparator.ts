import type { PactFile, PactInteraction } from "../contracts.ts";
import { isObject } from "../json-object.ts";
import { adapted, type OpenApiDocument } from "./document.ts";
import type { Described } from "./operations.ts";

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
