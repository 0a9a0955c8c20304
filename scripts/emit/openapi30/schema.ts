import { mapSubschemas, type NamedSchemas, type Schema, type SchemaObject } from "../schema.ts";
import { withConditions } from "./conditions.ts";
import { withItems } from "./items.ts";
import { withMembers } from "./members.ts";
import { withReferences } from "./references.ts";
import { withValues } from "./values.ts";
import { type Losses, widen } from "./widen.ts";

type Step = (schema: SchemaObject, losses: Losses) => SchemaObject;

/** One step for each chapter of JSON Schema that differs in OpenAPI 3.0. */
const STEPS: readonly Step[] = [withReferences, withConditions, withMembers, withItems, withValues];

/**
 * Returns a schema of OpenAPI 3.1 as a Schema Object of OpenAPI 3.0.3 (section 4.7.24) that accepts the same values. What 3.0 cannot
 * express is omitted, which never refuses more, and named in the description.
 */
export function schema30(schema: Schema, named: NamedSchemas): SchemaObject {
  if (typeof schema === "boolean") return schema ? {} : { not: {} };
  const losses: Losses = [];
  const below = mapSubschemas(widen(schema, named, losses), (each, [keyword]) =>
    keyword === "additionalProperties" && typeof each === "boolean" ? each : schema30(each, named),
  );
  const lowered = STEPS.reduce((each, step) => step(each, losses), below);
  return described(lowered, losses);
}

function described(schema: SchemaObject, losses: Losses): SchemaObject {
  if (losses.length === 0) return schema;
  const note = `OpenAPI 3.0 cannot express: ${losses.join("; ")}.`;
  const { description } = schema;
  return { ...schema, description: description === undefined ? note : `${description}\n\n${note}` };
}
