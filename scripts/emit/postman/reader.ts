import type { SpecDocument } from "../bundle.ts";
import { instances } from "../overlap/instances.ts";
import { pointerSteps, valueAt } from "../reference.ts";
import { isRecord, isSchema, type NamedSchemas, referredName, type Schema } from "../schema.ts";

export type Part = Readonly<Record<string, unknown>>;

/** A named example of a body. */
export interface Example {
  readonly name: string;
  readonly value: unknown;
}

/** Reads the parts of a document, whether they are inline or references. */
export interface Reader {
  readonly document: Part;
  /** Returns the object that a value is or refers to; an empty one for anything else. */
  part(value: unknown): Part;
  parts(value: unknown): [name: string, part: Part][];
  list(value: unknown): Part[];
  /** Returns the examples of a Media Type Object; a value made from the schema where it has none and `isRequired`. */
  examples(media: Part, isRequired: boolean): Example[];
  /** Returns the example of a parameter, or of its schema. */
  exampleOf(parameter: Part): unknown;
}

export function readerOf({ published, schemas }: SpecDocument): Reader {
  const part = (value: unknown): Part => {
    if (!isRecord(value)) return {};
    return typeof value.$ref === "string" ? part(valueAt(published, pointerSteps(value.$ref))) : value;
  };
  const parts = (value: unknown): [string, Part][] =>
    isRecord(value) ? Object.entries(value).map(([name, item]) => [name, part(item)]) : [];
  const list = (value: unknown): Part[] => (Array.isArray(value) ? value.map(part) : []);
  return {
    ...{ document: published, part, parts, list },
    examples: (media, isRequired) => {
      if ("example" in media) return [{ name: "", value: media.example }];
      const named = parts(media.examples).map(([name, { summary, value }]) => ({
        name: String(summary ?? name),
        value,
      }));
      return named.length === 0 && isRequired ? made(media.schema, schemas) : named;
    },
    exampleOf: (parameter) => {
      if ("example" in parameter) return parameter.example;
      const [named] = parts(parameter.examples);
      return named === undefined ? schemaExample(parameter.schema, schemas) : named[1].value;
    },
  };
}

function made(schema: unknown, named: NamedSchemas): Example[] {
  if (!isSchema(schema)) return [];
  const { value, done } = instances([schema], named).next();
  return done === true ? [] : [{ name: "", value }];
}

function schemaExample(schema: unknown, named: NamedSchemas): unknown {
  if (!isRecord(schema)) return undefined;
  const { $ref, examples } = schema;
  if (Array.isArray(examples)) return examples[0];
  const target: Schema | undefined = typeof $ref === "string" ? named[referredName($ref) ?? ""] : undefined;
  return schemaExample(target, named);
}
