import { type NamedSchemas, referredName, type Schema, type SchemaObject } from "../schema.ts";

/** Schemas that a value must satisfy together; none has references or branches. */
export type Conjunction = readonly SchemaObject[];

/** Enough for the nested branches in the project's documents; more would only repeat the same members. */
const MAX_VARIANTS = 48;
const MAX_DEPTH = 12;

/**
 * Returns the ways in which a value can satisfy all of `schemas`. References are followed, `allOf` is split, and each
 * choice of a branch of `anyOf`, `oneOf` or `if` makes a separate conjunction. Empty when no value can.
 */
export function conjunctions(schemas: readonly Schema[], named: NamedSchemas, depth = 0): Conjunction[] {
  let variants: Conjunction[] = [[]];
  for (const schema of schemas) {
    const more = schemaVariants(schema, named, depth);
    variants = variants.flatMap((left) => more.map((right) => [...left, ...right])).slice(0, MAX_VARIANTS);
  }
  return variants;
}

function schemaVariants(schema: Schema, named: NamedSchemas, depth: number): Conjunction[] {
  if (schema === true || depth > MAX_DEPTH) return [[]];
  if (schema === false) return [];
  const { $ref, allOf = [], anyOf, oneOf, if: _if, then, else: otherwise, ...own } = schema;
  const referred = $ref === undefined ? [] : [named[referredName($ref) ?? ""] ?? true];
  const base = conjunctions([...referred, ...allOf], named, depth + 1).map((each) => [...each, own]);
  const choices: (readonly Schema[])[] = [];
  if (anyOf !== undefined) choices.push(anyOf);
  if (oneOf !== undefined) choices.push(oneOf);
  const conditional = [then, otherwise].filter((each): each is Schema => each !== undefined);
  if (conditional.length > 0) choices.push([true, ...conditional]);
  return choices.reduce<Conjunction[]>((variants, branches) => {
    const options = branches.flatMap((branch) => schemaVariants(branch, named, depth + 1));
    return variants.flatMap((left) => options.map((right) => [...left, ...right])).slice(0, MAX_VARIANTS);
  }, base);
}
