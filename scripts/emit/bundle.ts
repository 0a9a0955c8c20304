import { inlined } from "./documents/bundled.ts";
import { at, ensure, type Place, pointerSteps, SpecFault } from "./fault.ts";
import type { DocumentFile, DocumentKind, YamlFiles } from "./files.ts";
import { type Located, resolve } from "./located.ts";
import {
  COMPLETES,
  isRecord,
  isReference,
  isSchema,
  mapRecord,
  mapSubschemas,
  type NamedSchemas,
  recordOf,
  referenceTo,
  referredName,
  type Schema,
  type SchemaObject,
} from "./schema.ts";

/** One document of the spec folder with everything it refers to inside it. */
export interface SpecDocument {
  readonly name: string;
  readonly kind: DocumentKind;
  /** For messages: "spec/NAME.openapi.yaml". */
  readonly file: string;
  /** The document, of OpenAPI with its references replaced by their targets; schemas stay references to `schemas`. */
  readonly root: Readonly<Record<string, unknown>>;
  /** The document with its own references, examples and annotations; only parts of other files are included. */
  readonly published: Readonly<Record<string, unknown>>;
  readonly schemas: NamedSchemas;
  /** The place of each named schema. */
  readonly origins: ReadonlyMap<string, Place>;
  /** The name of the form of a schema that should be sent, where less may be received: "CompleteShift" by "Shift". */
  readonly complete: ReadonlyMap<string, string>;
}

const SCHEMA_NAME = /^[A-Z][A-Za-z0-9]*$/;

/** Reads a document and includes the schemas and parts of other files that it refers to. */
export function bundle(file: DocumentFile, files: YamlFiles): SpecDocument {
  return new Bundler(file, files).bundle();
}

class Bundler {
  readonly #file: DocumentFile;
  readonly #files: YamlFiles;
  readonly #schemas: Record<string, Schema> = {};
  readonly #origins = new Map<string, Place>();

  constructor(file: DocumentFile, files: YamlFiles) {
    this.#file = file;
    this.#files = files;
  }

  bundle(): SpecDocument {
    const { name, kind, path } = this.#file;
    const file = this.#files.display(path);
    const value = this.#files.read(path);
    const located = { value, path, place: { document: file, pointer: "" } };
    this.#addOwnSchemas(located, value);
    const published = recordOf(this.#part(located));
    return {
      name,
      kind,
      file,
      root: kind === "openapi" ? inlined(published, isPart) : published,
      published,
      schemas: this.#schemas,
      origins: this.#origins,
      complete: this.#completeForms(),
    };
  }

  /** Moves the links from the schemas into a map. */
  #completeForms(): ReadonlyMap<string, string> {
    const forms = new Map<string, string>();
    for (const [name, schema] of Object.entries(this.#schemas)) {
      if (typeof schema === "boolean" || !(COMPLETES in schema)) continue;
      const { [COMPLETES]: of, ...rest } = schema;
      const place = at(this.#origins.get(name) ?? { document: "", pointer: "" }, COMPLETES);
      const isOther = typeof of === "string" && of !== name && of in this.#schemas;
      ensure(isOther, place, `there is no other schema "${of}"`, "name a schema of this document");
      ensure(!forms.has(of), place, `${forms.get(of)} already completes ${of}`, "keep one of the two");
      forms.set(of, name);
      this.#schemas[name] = rest;
    }
    return forms;
  }

  #addOwnSchemas(document: Located, root: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(recordOf(recordOf(root.components).schemas))) {
      this.#addSchema(name, { ...document, value, place: at(document.place, "components", "schemas", name) });
    }
  }

  /** Adds a schema to the named schemas. An own name for a shared schema of the same name is that schema. */
  #addSchema(name: string, target: Located): void {
    const advice = "write a mapping or true or false";
    ensure(isSchema(target.value), target.place, "there is no schema here", advice);
    if (isReference(target.value) && target.value.$ref.endsWith(`/${name}`)) {
      const next = resolve(target.value.$ref, target, this.#files);
      if (next.place.pointer !== target.place.pointer || next.path !== target.path) {
        this.#addSchema(name, next);
        return;
      }
    }
    if (this.#isKnown(name, target.place)) return;
    this.#origins.set(name, target.place);
    this.#schemas[name] = true;
    this.#schemas[name] = this.#schema(target.value, target);
  }

  #isKnown(name: string, place: Place): boolean {
    const advice = "name schemas in PascalCase, letters and digits";
    ensure(SCHEMA_NAME.test(name), place, `"${name}" is not a name for a type`, advice);
    const known = this.#origins.get(name);
    if (known === undefined) return false;
    if (known.document === place.document && known.pointer === place.pointer) return true;
    const other = `${known.document}#${known.pointer}`;
    throw new SpecFault(place, `the name "${name}" is taken by ${other}`, "rename one of the two schemas");
  }

  #schema(schema: Schema, from: Located): Schema {
    if (typeof schema === "boolean") return schema;
    const copy: SchemaObject = mapSubschemas(schema, (below, steps) =>
      this.#schema(below, { ...from, place: at(from.place, ...steps) }),
    );
    if (copy.$ref !== undefined) {
      const target = resolve(copy.$ref, from, this.#files);
      const name = nameOf(target.place);
      this.#addSchema(name, target);
      copy.$ref = referenceTo(name);
    }
    const { $defs: _, ...rest } = copy;
    return rest;
  }

  /** Includes the parts of other files, except schemas, which are named. */
  #part(from: Located): unknown {
    const { value, place } = from;
    if (Array.isArray(value))
      return value.map((item, index) => this.#part({ ...from, value: item, place: at(place, index) }));
    if (!isRecord(value)) return value;
    const isOwn = from.path === this.#file.path && String(value.$ref).startsWith("#");
    if (typeof value.$ref === "string" && !isOwn) return this.#part(resolve(value.$ref, from, this.#files));
    const { schemas: _, ...others } = value;
    return mapRecord(place.pointer === "/components" ? others : value, (item, key) => {
      const below = { ...from, value: item, place: at(place, key) };
      if (isExample(key, item, place)) return item;
      const holdsSchema = (key === "schema" || key === "payload") && isSchema(item);
      return holdsSchema ? this.#schema(item, below) : this.#part(below);
    });
  }
}

/** Whether the reference leads to a part of the document that is not a schema. */
const isPart = (reference: string): boolean => referredName(reference) === undefined;

/** Returns the name of a schema: the last step, and before it those of the schema that it is a part of. */
function nameOf({ pointer }: Place): string {
  const steps = pointerSteps(pointer.replace(/^\/components\/schemas(?=\/)/, ""));
  const [first = "", ...below] = steps.filter((step) => step !== "$defs");
  const words = below.flatMap((step) => step.split(/[^A-Za-z0-9]+/));
  return first + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** Returns whether the value is an example, which is not resolved. The map of named examples is: it may refer to another file. */
function isExample(key: string, item: unknown, holder: Place): boolean {
  if (key === "value") return /\/examples\/[^/]+$/.test(holder.pointer);
  return key === "example" || (key === "examples" && !isRecord(item));
}
