import { checkKeywords } from "./ajv/keywords.ts";
import type { SpecDocument } from "./bundle.ts";
import type { Place } from "./fault.ts";
import { inlineSchemas, type Operation } from "./openapi/paths.ts";
import type { Schema } from "./schema.ts";

export interface PlacedSchema {
  readonly schema: Schema;
  readonly place: Place;
}

/** Every schema that a document holds: the named ones where they were written, and those inside operations. */
export function schemasOf(document: SpecDocument, operations: readonly Operation[]): PlacedSchema[] {
  const named = Object.entries(document.schemas).map(([name, schema]) => ({
    schema,
    place: document.origins.get(name) ?? { document: document.file, pointer: `/components/schemas/${name}` },
  }));
  return [...named, ...operations.flatMap(inlineSchemas)];
}

export function checkSchemas(document: SpecDocument, operations: readonly Operation[]): void {
  for (const { schema, place } of schemasOf(document, operations)) checkKeywords(schema, place);
}
