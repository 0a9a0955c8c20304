import type { Options } from "ajv";
import AjvCore from "ajv/dist/core.js";
import standaloneCode from "ajv/dist/standalone/index.js";
import applicator from "ajv/dist/vocabularies/applicator/index.js";
import core from "ajv/dist/vocabularies/core/index.js";
import format from "ajv/dist/vocabularies/format/index.js";
import next from "ajv/dist/vocabularies/next.js";
import unevaluated from "ajv/dist/vocabularies/unevaluated/index.js";
import validation from "ajv/dist/vocabularies/validation/index.js";
import { FORMATS } from "../formats.ts";
import {
  mapSubschemas,
  type NamedSchemas,
  referredName,
  type Schema,
  type SchemaObject,
  withoutNotes,
} from "../schema.ts";
import {
  alternatives,
  CONTAINS,
  CONTAINS_OF_ALL,
  defaultOf,
  ITEMS,
  MULTIPLE_OF,
  QUIETLY,
  UNIQUE_ITEMS,
} from "./own-keywords.ts";

/** `fast` stops at the first error and does not describe it; `full` collects them, up to a bound, and reports the branch of each. */
export type Form = "fast" | "full";
export type Ajv = AjvCore.default;

const OPTIONS: Options = {
  // Keywords and formats are checked before. What Ajv is strict about beyond that has a meaning, such as an `if` alone.
  strict: false,
  // JSON.parse reads 1e400 as Infinity, which JSON cannot write.
  strictNumbers: true,
  validateSchema: false,
  messages: false,
  logger: false,
  // One function for each larger named schema: copies would multiply the size of the file.
  inlineRefs: 3,
  code: { source: true, esm: true, lines: false, optimize: 2 },
  addUsedSchema: false,
  // Tracking of evaluated members slows down every function; few documents need it.
  unevaluated: false,
  next: true,
};

/** JSON Schema 2020-12 without dynamic references, whose cost Ajv's own 2020 class always adds. */
const VOCABULARIES = [
  defaultOf(core),
  defaultOf(validation),
  defaultOf(applicator)(true),
  defaultOf(next),
  defaultOf(unevaluated),
  defaultOf(format),
];

/** Creates an Ajv with `schemas` by their ids and the project's formats. */
export function compiler(schemas: NamedSchemas, form: Form): Ajv {
  const isCounting = /"unevaluated(?:Properties|Items)":/.test(JSON.stringify(schemas));
  const options = { ...OPTIONS, allErrors: form === "full", unevaluated: isCounting };
  const ajv = new (defaultOf(AjvCore))(options);
  for (const vocabulary of VOCABULARIES) ajv.addVocabulary(vocabulary);
  ajv.addKeyword(QUIETLY);
  const full =
    form === "full" ? [alternatives("anyOf"), alternatives("oneOf"), CONTAINS_OF_ALL, ITEMS] : [CONTAINS];
  for (const definition of [MULTIPLE_OF, UNIQUE_ITEMS, ...full]) {
    ajv.removeKeyword(String(definition.keyword));
    ajv.addKeyword(definition);
  }
  for (const [name, expression] of Object.entries(FORMATS)) ajv.addFormat(name, expression);
  for (const [id, schema] of Object.entries(schemas)) ajv.addSchema(inForm(schema, form, isCounting), id);
  return ajv;
}

function inForm(schema: Schema, form: Form, isCounting?: boolean): Record<string, unknown> {
  const assertions = assertionsOf(schema, isCounting);
  if (form === "fast") return { quietly: assertions };
  return typeof assertions === "boolean" ? { allOf: [assertions] } : assertions;
}

/** Returns an ECMAScript module with one exported function for each id, named `v0`, `v1`, ... in the order given. */
export function standaloneModule(ajv: Ajv, ids: readonly string[]): string {
  const exported = Object.fromEntries(ids.map((id, index) => [`v${index}`, id]));
  // The place of a keyword in the schema is useless to a caller, and a quarter of the text.
  const code = defaultOf(standaloneCode)(ajv, exported).replaceAll(/,schemaPath:"(?:[^"\\]|\\.)*"/g, "");
  return ajv.opts.allErrors ? bounded(code) : code;
}

/** Returns a validator for a schema that is not in the file: it finds overlaps during generation. */
export function validatorFor(ajv: Ajv, schema: Schema): (value: unknown) => boolean {
  const validate = ajv.compile(inForm(schema, "fast", ajv.opts.unevaluated));
  return (value) => validate(value) === true;
}

/**
 * Returns the code of a module that collects all errors, with bounds: a loop over the items or members of a value ends after
 * `MAX_ERRORS_OF_LIST` errors of its own, and a function returns at most `MAX_ERRORS`. The time is therefore linear in the size of the value, and whether the
 * value is valid stays exact: only a loop that has already failed ends early.
 */
function bounded(code: string): string {
  return code
    .replaceAll(
      /for\((?:let (\w+)=\w+; \1<\w+; \1\+\+|const (\w+) in \w+)\)\{/g,
      (loop, index?: string, key?: string) => {
        const start = `start_${index ?? key}`;
        return `const ${start}=errors;${loop}if(errors-${start}>=MAX_ERRORS_OF_LIST){vErrors.push(FURTHER);errors++;break;}`;
      },
    )
    .replaceAll(/(validate\d+\.errors = )vErrors;/g, "$1bounded(vErrors);");
}

/** Readers of JSON round an integer beyond 2^53: such a value is refused. Bounds in documents are nearer. */
const SAFE = { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/**
 * Returns the schema as Ajv compiles it: without annotations, references by the id of the named schema. `isCounting`: whether evaluated
 * members are counted, for which conditions become choices.
 */
function assertionsOf(schema: Schema, isCounting = false): Schema {
  if (typeof schema === "boolean") return schema;
  const types = [schema.type].flat();
  const bounds = types.includes("integer") && !types.includes("number") ? SAFE : {};
  const copy = mapSubschemas({ ...bounds, ...withoutNotes(schema) }, (below) =>
    assertionsOf(below, isCounting),
  );
  if (copy.$ref !== undefined) copy.$ref = referredName(copy.$ref) ?? copy.$ref;
  if (isCounting && acceptsAll(copy.not)) return false;
  return isCounting ? withPatternsApart(withChoice(copy)) : copy;
}

/** Ajv drops what follows such a `not`, also where it has counted the members. */
const acceptsAll = (schema: Schema | undefined): boolean =>
  schema === true || (typeof schema === "object" && Object.keys(schema).length === 0);

/** Ajv fails where it counts members by pattern after a branch that did not hold. */
function withPatternsApart(schema: Schema): Schema {
  if (typeof schema === "boolean" || schema.patternProperties === undefined) return schema;
  const { properties = {}, patternProperties, additionalProperties, ...rest } = schema;
  const others = additionalProperties === undefined ? {} : { additionalProperties };
  const apart = { properties, patternProperties, ...others };
  return { ...rest, allOf: [apart, ...(rest.allOf ?? [])] };
}

/** Ajv counts what is evaluated under `if` even where it does not hold, and nothing where no branch follows. */
function withChoice({ if: condition, then = true, else: otherwise = true, ...rest }: SchemaObject): Schema {
  if (condition === undefined) return rest;
  const anyOf = [{ allOf: [condition, then] }, { allOf: [{ not: condition }, otherwise] }];
  return { ...rest, allOf: [...(rest.allOf ?? []), { anyOf }] };
}
