import { operationsTable } from "../../../generated/provider/server.ts";
import { formsOfInteraction, type KnownForms } from "../contracts.ts";
import type { OperationId } from "../exchange.ts";
import { isObject } from "../json-object.ts";
import { dereferenced, type OpenApiDocument } from "./document.ts";

export type Routing = "path" | "header";

/** An operation of the contract, as the document describes it. */
export interface Described {
  operationId: OperationId;
  /** `get`, `put`, ... */
  method: string;
  /** Below the provider's base URL: `/providers/{tenant}/shifts/{id}`. */
  path: string;
  /** Prefix in the document and in its server's URL: `/api`. */
  base: string;
  routing: Routing;
  /** The path item that contains it. */
  item: Readonly<Record<string, unknown>>;
}

const TENANT = /\/providers\/(?:\{[^}]{1,99}\}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i;
const METHODS = new Set(operationsTable.map(({ method }) => method.toLowerCase()));

/**
 * Returns the contract's operations in the document. It selects the base and convention (contract 4.1) with the most operations,
 * and prefers the path prefix.
 */
export function describedOperations(document: OpenApiDocument): Described[] {
  const all = Object.entries(document.paths).flatMap(([path, item]) =>
    serverPaths(document).flatMap((server) => describe(`${server}${path}`, item)),
  );
  const groups = Map.groupBy(all, ({ base, routing }) => `${routing} ${base}`);
  const [best = []] = [...groups.values()].sort(
    (left, right) => right.length - left.length || rank(left) - rank(right),
  );
  return best;
}

const rank = ([first]: readonly Described[]): number => (first?.routing === "path" ? 0 : 1);

function describe(full: string, item: Described["item"]): Described[] {
  return Object.keys(item)
    .filter((method) => METHODS.has(method))
    .flatMap((method) => {
      const operation = operationsTable.find(
        (each) => each.method.toLowerCase() === method && endsWith(full, each.path),
      );
      if (!operation) return [];
      const own = full.split("/").slice(-operation.path.split("/").length + 1);
      const before = full.slice(0, full.length - own.join("/").length - 1);
      const base = before.replace(TENANT, "");
      // With a parameter before it, the path is a different resource: /departments/{id}/candidates.
      if (base.includes("{")) return [];
      const routing = base === before ? "header" : "path";
      const path = `${routing === "path" ? "/providers/{tenant}" : ""}/${own.join("/")}`;
      return [{ operationId: operation.operationId, method, path, base, routing, item }];
    });
}

/** Whether the path ends with the template, regardless of parameter names. */
function endsWith(full: string, template: string): boolean {
  const nameless = (path: string) => path.replaceAll(/\{[^}]{1,99}\}/g, "{}");
  return nameless(full).endsWith(nameless(template));
}

/** Returns the path of each server or of Swagger 2's base path, without a trailing slash. */
function serverPaths({ servers, basePath }: OpenApiDocument): string[] {
  if (typeof basePath === "string") return [basePath.replace(/\/$/, "")];
  const all: unknown[] = Array.isArray(servers) ? servers : [];
  const urls = all.map((server) => (isObject(server) && typeof server.url === "string" ? server.url : ""));
  const paths = urls.map((url) => url.replace(/^[a-z]*:?\/\/[^/]*/i, "").replace(/\/$/, ""));
  return paths.length === 0 ? [""] : [...new Set(paths)];
}

/** The forms that the document allows. A missing member allows any form. */
export type AllowedForms = Partial<Record<keyof KnownForms, readonly string[]>>;

export function formsOfDocument(document: OpenApiDocument, operations: readonly Described[]): AllowedForms {
  const has = (id: OperationId) => operations.some(({ operationId }) => operationId === id);
  const hasBody = (id: OperationId) =>
    operations.some((operation) => operation.operationId === id && answersWithBody(operation, document));
  return {
    routing: [operations[0]?.routing ?? "path"],
    // A document cannot express which form of the number finds a candidate.
    numbers: ["digits"],
    registry: [has("getCandidateRegistry") ? "offered" : "absent"],
    unassign: [has("unassignCandidate") || !has("deleteAssignment") ? "put" : "delete"],
    updated: [hasBody("updateShift") ? "shift" : "none"],
    acknowledgement: hasBody("assignCandidate") ? ["minimal", "full"] : ["none"],
  };
}

export function isAllowed(description: string, forms: AllowedForms): boolean {
  const wanted = Object.entries(formsOfInteraction(description));
  return wanted.every(([form, value]) => forms[form as keyof KnownForms]?.includes(value) ?? true);
}

/** Whether its 200 has content, or a schema in Swagger 2. */
function answersWithBody({ item, method }: Described, document: OpenApiDocument): boolean {
  const operation = item[method];
  const responses = isObject(operation) && isObject(operation.responses) ? operation.responses : {};
  const { content, schema } = dereferenced(responses["200"], document);
  return schema !== undefined || (isObject(content) && Object.keys(content).length > 0);
}
