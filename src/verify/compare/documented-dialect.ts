import { formsOfInteraction, type KnownForms } from "../contracts.ts";
import type { OperationId } from "../exchange.ts";
import { isObject } from "../json-object.ts";
import { dereferenced, type OpenApiDocument } from "./document.ts";
import type { Described } from "./operations.ts";

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
