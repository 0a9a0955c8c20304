import type { OperationId } from "../exchange.ts";
import { formsOfInteraction, type KnownForms } from "../interactions.ts";
import { isObject, type OpenApiDocument } from "./document.ts";
import type { Described } from "./operations.ts";

/** The forms that the document leaves possible; a form that is not here: any. */
export type AllowedForms = Partial<Record<keyof KnownForms, readonly string[]>>;

/** What a document says of the choices that the contract leaves to a provider. */
export function formsOfDocument(document: OpenApiDocument, operations: readonly Described[]): AllowedForms {
  const has = (id: OperationId) => operations.some(({ operationId }) => operationId === id);
  const hasBody = (id: OperationId) =>
    operations.some((operation) => operation.operationId === id && answersWithBody(operation, document));
  return {
    routing: [operations[0]?.routing ?? "path"],
    // A document cannot say under which form a candidate is found.
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

/** Whether its 200 has content, or in Swagger 2 a schema. */
function answersWithBody({ item, method }: Described, document: OpenApiDocument): boolean {
  const operation = item[method];
  const responses = isObject(operation) && isObject(operation.responses) ? operation.responses : {};
  const response = dereferenced(responses["200"], document);
  if (!isObject(response)) return false;
  const { content, schema } = response;
  return schema !== undefined || (isObject(content) && Object.keys(content).length > 0);
}

function dereferenced(value: unknown, document: OpenApiDocument): unknown {
  const ref = isObject(value) ? value.$ref : undefined;
  if (typeof ref !== "string") return value;
  const steps = ref.replace(/^#\//, "").split("/");
  return steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), document);
}
