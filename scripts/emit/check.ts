import { checkKeywords } from "./ajv/keywords.ts";
import type { SpecDocument } from "./bundle.ts";
import type { Place } from "./fault.ts";
import { inlineSchemas, type Operation } from "./openapi/paths.ts";
import type { Schema } from "./schema.ts";

export interface PlacedSchema {
  readonly schema: Schema;
  readonly place: Place;
}

/** Returns every schema of a document: the named ones in their files, and those inside operations. */
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
