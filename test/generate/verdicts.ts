import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import AjvDraft04 from "ajv-draft-04";
import { parse } from "yaml";
import { FORMATS } from "../../scripts/emit/formats.ts";
import { instances } from "../../scripts/emit/overlap/instances.ts";
import {
  isRecord,
  mapRecord,
  mapSubschemas,
  type NamedSchemas,
  type SchemaObject,
} from "../../scripts/emit/schema.ts";

/** Returns whether a value is an instance of the schema at `file#/json/pointer`. */
export type Accepts = (reference: string, value: unknown) => boolean;

const OPTIONS = { strict: false, validateSchema: false, logger: false, formats: FORMATS } as const;
const BASE = "https://documents.invalid/";

/** Validates by JSON Schema 2020-12, as OpenAPI 3.1 does, with the source files. */
export function acceptsBySource(folder: string): Accepts {
  const ajv = new Ajv2020(OPTIONS);
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (name.endsWith(".yaml")) ajv.addSchema({ ...readYaml(join(folder, name)), $id: BASE + name });
  }
  return accepting(ajv);
}

export function accepts31(document: object): Accepts {
  const ajv = new Ajv2020(OPTIONS);
  ajv.addSchema({ ...document, $id: `${BASE}document` });
  return accepting(ajv);
}

/** Validates by the Schema Object of OpenAPI 3.0: JSON Schema draft 4 with `nullable`. It throws for `nullable` without a type. */
export function accepts30({ components }: Record<string, unknown>): Accepts {
  const schemas = isRecord(components) && isRecord(components.schemas) ? components.schemas : {};
  const ajv = new AjvDraft04.default(OPTIONS);
  const shown = mapRecord(schemas, (schema) => withoutExample(schema as SchemaObject));
  ajv.addSchema({ id: `${BASE}document`, components: { schemas: shown } });
  return accepting(ajv);
}

/** Removes examples: in draft 4 their member `id` would name a schema. */
function withoutExample({ example, ...schema }: SchemaObject): SchemaObject {
  return mapSubschemas(schema, (below) => (typeof below === "boolean" ? below : withoutExample(below)));
}

function accepting(ajv: { compile(schema: object): (value: unknown) => unknown }): Accepts {
  const compiled = new Map<string, (value: unknown) => unknown>();
  return (reference, value) => {
    const known = compiled.get(reference) ?? ajv.compile({ $ref: BASE + reference });
    compiled.set(reference, known);
    return known(value) === true;
  };
}

export function readYaml(path: string): Record<string, unknown> {
  return parse(readFileSync(path, "utf8"), { maxAliasCount: -1 });
}

const MOST_INSTANCES = 20;
const WRONG: readonly unknown[] = [null, true, 0, -1, 1.5, 1e6, "", "text", "x".repeat(1001), [], [{}], {}];
/** The depth to which the members of a value are changed. */
const DEPTH = 2;

/** Returns values that a schema is likely to accept, and many incorrect variations of each. */
export function corpus(name: string, named: NamedSchemas, examples: readonly unknown[] = []): unknown[] {
  const good = [...examples];
  for (const value of instances([named[name] ?? true], named)) {
    if (good.push(value) >= MOST_INSTANCES) break;
  }
  const members = new Set(good.flatMap((value) => (isRecord(value) ? Object.entries(value) : [])));
  const all = good.flatMap((value) => [value, ...broken(value, DEPTH), ...joined(value, [...members])]);
  const texts = new Map([...WRONG, ...all].map((value) => [JSON.stringify(value), value]));
  return [...texts.values()];
}

/** Adds a member of another value: a shift of both variants, an acknowledgement with an additional field. */
function joined(value: unknown, members: readonly [string, unknown][]): unknown[] {
  if (!isRecord(value)) return [];
  const others = new Map(members.filter(([name]) => !(name in value)));
  return [...others].map(([name, member]) => ({ ...value, [name]: member }));
}

function broken(value: unknown, depth: number): unknown[] {
  if (depth === 0) return [];
  if (Array.isArray(value)) {
    const items = value.slice(0, 1).flatMap((item) => broken(item, depth - 1).map((each) => [each]));
    return [...items, [...value, null], [...value, ...value]];
  }
  if (!isRecord(value)) return [];
  return [
    { ...value, unknownMember: 1 },
    ...Object.entries(value).flatMap(([name, member]) => {
      const { [name]: _gone, ...rest } = value;
      const replaced = [...WRONG, ...broken(member, depth - 1)];
      return [rest, ...replaced.map((each) => ({ ...value, [name]: each }))];
    }),
  ];
}
