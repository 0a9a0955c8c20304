import { isRecord, type Schema, type SchemaObject } from "../schema.ts";
import type { Losses } from "./widen.ts";

/** Members of an object (JSON Schema 2020-12 core, sections 10.3.2 and 11). */
export function withMembers(schema: SchemaObject, losses: Losses): SchemaObject {
  const { patternProperties, unevaluatedProperties, ...rest } = schema;
  if (unevaluatedProperties !== undefined && !isAnything(unevaluatedProperties)) {
    losses.push("that no other members are allowed (`unevaluatedProperties`)");
  }
  const lowered = isRecord(patternProperties) ? withPatterns(rest, patternProperties, losses) : rest;
  const { required, ...optional } = lowered;
  return required?.length === 0 ? optional : lowered;
}

/** Allows members of any name to have the form of any of the patterns. */
function withPatterns(schema: SchemaObject, patterns: Record<string, unknown>, losses: Losses): SchemaObject {
  const names = Object.keys(patterns);
  losses.push(
    `which members have which form by their names (\`patternProperties\`: ${names.map(code).join(", ")})`,
  );
  const { additionalProperties, ...rest } = schema;
  if (additionalProperties === undefined || isAnything(additionalProperties)) return rest;
  const others = additionalProperties === false ? [] : [additionalProperties as Schema];
  const forms = [...(Object.values(patterns) as Schema[]), ...others];
  return { ...rest, additionalProperties: forms.length === 1 ? forms[0] : { anyOf: forms } };
}

const code = (text: string): string => `\`${text}\``;

function isAnything(schema: unknown): boolean {
  return schema === true || (isRecord(schema) && Object.keys(schema).length === 0);
}
