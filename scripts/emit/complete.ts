import type { NamedSchemas } from "./schema.ts";

/** `CompleteShift` is a shift as it should be sent, and `Shift` one as it may be received. */
const PREFIX = "Complete";

/** Returns the name of the complete form of a schema, if there is one. */
export function completeName(name: string, schemas: NamedSchemas): string | undefined {
  const complete = `${PREFIX}${name}`;
  return complete in schemas ? complete : undefined;
}
