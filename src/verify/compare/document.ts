import { readFile } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { parse } from "yaml";
import { valueAt } from "../../runtime/pointer.ts";
import { CouldNotRun } from "../connection-errors.ts";
import { isObject } from "../json-object.ts";

type Json = Record<string, unknown>;

/** An OpenAPI document, with the members that are read here. */
export interface OpenApiDocument extends Json {
  info: Json;
  paths: Readonly<Record<string, Json>>;
}

/** Component group for referenced parts of other files. */
const BROUGHT = "brought-in";

/**
 * Reads an OpenAPI document, YAML or JSON, and includes the targets of `$ref`s in other files.
 * @throws CouldNotRun when a file cannot be read, or is not an OpenAPI document
 */
export async function readDocument(path: string): Promise<OpenApiDocument> {
  const file = resolve(path);
  const root = await readYaml(file);
  const version = root.openapi ?? root.swagger;
  if (!/^(?:2\.0|3\.)/.test(String(version)) || !isObject(root.paths)) {
    throw new CouldNotRun(`${path} is not an OpenAPI document: it needs \`openapi: 3.x\` and \`paths\``);
  }
  const info = isObject(root.info) ? root.info : {};
  const document = await bringIn({ ...root, info }, file);
  const paths = isObject(document.paths) ? document.paths : {};
  // The comparator does not follow references in place of path items.
  const items = Object.entries(paths).map(([path, item]) => [path, dereferenced(item, document)]);
  return { ...document, info, paths: Object.fromEntries(items) };
}

async function readYaml(file: string): Promise<Json> {
  let value: unknown;
  try {
    value = parse(await readFile(file, "utf8"), { merge: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : "";
    throw new CouldNotRun(`${basename(file)} cannot be read as YAML or JSON: ${reason}`);
  }
  if (isObject(value)) return value;
  throw new CouldNotRun(`${basename(file)} contains no YAML or JSON object`);
}

/** Copies the target of every external `$ref` into this document, and points the `$ref` to it. */
async function bringIn(root: Json, rootFile: string): Promise<Json> {
  const files = new Map([[rootFile, root]]);
  const brought: Json = {};
  const names = new Map<string, string>();

  async function fileOf(file: string): Promise<Json> {
    const known = files.get(file) ?? (await readYaml(file));
    files.set(file, known);
    return known;
  }

  async function refIn(ref: string, file: string): Promise<string> {
    const [path = "", pointer = ""] = ref.split("#");
    if (/^[a-z][a-z\d+.-]+:/i.test(path)) {
      throw new CouldNotRun(`${basename(file)} refers to ${path}: bundle the document into one file first`);
    }
    const target = path === "" ? file : resolve(dirname(file), decodeURIComponent(path));
    if (target === rootFile) return `#${pointer}`;
    const key = `${target}#${pointer}`;
    const known = names.get(key);
    if (known !== undefined) return `#/components/${BROUGHT}/${known}`;
    const name = `part${names.size + 1}`;
    names.set(key, name);
    const value = valueAt(await fileOf(target), decodeURIComponent(pointer));
    if (value === undefined)
      throw new CouldNotRun(`${basename(file)} refers to ${ref}, which does not exist`);
    brought[name] = await copy(value, target);
    return `#/components/${BROUGHT}/${name}`;
  }

  async function copy(value: unknown, file: string): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((each) => copy(each, file)));
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(async ([name, each]) => {
      const isRef = name === "$ref" && typeof each === "string";
      return [name, isRef ? await refIn(each, file) : await copy(each, file)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  const copied = (await copy(root, rootFile)) as Json;
  const components = isObject(copied.components) ? copied.components : {};
  return { ...copied, components: { ...components, [BROUGHT]: brought } };
}

/** Returns the target of a value that is a `$ref` into the document, and otherwise the value; empty if that is no object. */
export function dereferenced(value: unknown, document: Json): Json {
  const ref = isObject(value) ? value.$ref : undefined;
  const target = typeof ref === "string" ? valueAt(document, decodeURIComponent(ref.slice(1))) : value;
  return isObject(target) ? target : {};
}

/** How many schemas are followed through `allOf`: the time stays proportional to the document, even where `allOf` leads back. */
const MOST_SCHEMAS = 32;

interface Schema {
  /** Names of its own properties with `readOnly`. */
  readOnly: ReadonlySet<string>;
  allOf: readonly Json[];
}

/**
 * Adapts schemas to how the comparator uses them. A pact contains only the fields that the consumer reads, so the comparator drops
 * `required` from responses: then more than one branch of a `oneOf` may match, and `oneOf` becomes `anyOf`. In requests `required`
 * stays, but not for a property with `readOnly`, which OpenAPI requires in responses only.
 */
export function adapted(root: unknown, document: Json): unknown {
  const schemas = new Map<Json, Schema>();

  function schemaOf(value: Json): Schema {
    const schema = schemas.get(value) ?? read(value, document);
    schemas.set(value, schema);
    return schema;
  }

  /** Returns the schema, and those of its `allOf`, each once. */
  function withAllOf(value: Json): Schema[] {
    const seen = new Set([dereferenced(value, document)]);
    for (const each of seen) {
      for (const branch of schemaOf(each).allOf) if (seen.size < MOST_SCHEMAS) seen.add(branch);
    }
    return [...seen].map(schemaOf);
  }

  /** @param outer the schemas of the `allOf` that the value is written in */
  function adapt(value: unknown, outer?: readonly Schema[]): unknown {
    if (Array.isArray(value)) return value.map((each) => adapt(each, outer));
    if (!isObject(value)) return value;
    const { discriminator, required, ...rest } = value;
    const isComposed = Array.isArray(required) || Array.isArray(value.allOf);
    const schemas = outer ?? (isComposed ? withAllOf(value) : []);
    const entries = Object.entries(rest).map(([name, each]) => [
      name === "oneOf" && Array.isArray(each) ? "anyOf" : name,
      adapt(each, name === "allOf" ? schemas : undefined),
    ]);
    const isKept = (name: string) => !schemas.some(({ readOnly }) => readOnly.has(name));
    return {
      ...Object.fromEntries(entries),
      ...(discriminator !== undefined && !Array.isArray(value.oneOf) && { discriminator }),
      ...(required !== undefined && {
        required: Array.isArray(required) ? required.filter(isKept) : required,
      }),
    };
  }

  return adapt(root);
}

function read({ properties, allOf }: Json, document: Json): Schema {
  const isReadOnly = (property: unknown) =>
    (isObject(property) && property.readOnly === true) || dereferenced(property, document).readOnly === true;
  const own = Object.entries(isObject(properties) ? properties : {});
  const branches = Array.isArray(allOf) ? allOf.map((each) => dereferenced(each, document)) : [];
  return {
    readOnly: new Set(own.filter(([, property]) => isReadOnly(property)).map(([name]) => name)),
    allOf: [...new Set(branches)].slice(0, MOST_SCHEMAS),
  };
}
