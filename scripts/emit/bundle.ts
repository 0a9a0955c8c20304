import { at, ensure, type Place, pointerSteps, SpecFault } from "./fault.ts";
import type { DocumentFile, DocumentKind, YamlFiles } from "./files.ts";
import { type Located, resolve } from "./located.ts";
import {
  COMPLETES,
  isRecord,
  isSchema,
  mapSubschemas,
  type NamedSchemas,
  recordOf,
  referenceTo,
  type Schema,
  type SchemaObject,
  withoutNotes,
} from "./schema.ts";

/** One document of the spec folder with everything it refers to inside it. */
export interface SpecDocument {
  readonly name: string;
  readonly kind: DocumentKind;
  /** For messages: "spec/NAME.openapi.yaml". */
  readonly file: string;
  /** The document with its references resolved; schemas stay references to `schemas`. */
  readonly root: Readonly<Record<string, unknown>>;
  /** The document with its own references, examples and annotations; only parts of other files are included. */
  readonly published: Readonly<Record<string, unknown>>;
  readonly schemas: NamedSchemas;
  /** The place of each named schema. */
  readonly origins: ReadonlyMap<string, Place>;
  /** The name of the form of a schema that should be sent, where less may be received: "CompleteShift" by "Shift". */
  readonly complete: ReadonlyMap<string, string>;
}

/** `resolved`: references replaced by their targets, without examples. `published`: as in the source, in one file. */
type Form = "resolved" | "published";

const SCHEMA_NAME = /^[A-Z][A-Za-z0-9]*$/;
/** Deeper than any document of the project; a longer chain of references is a circle. */
const MAX_DEPTH = 100;

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
    const [root, published] = [this.#part(located, "resolved", 0), this.#part(located, "published", 0)];
    return {
      name,
      kind,
      file,
      root: recordOf(root),
      published: recordOf(published),
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
    ensure(
      isSchema(target.value),
      target.place,
      "there is no schema here",
      "write a mapping or true or false",
    );
    if (typeof target.value === "object" && onlyReferenceText(target.value)?.endsWith(`/${name}`)) {
      const next = resolve(String(target.value.$ref), target, this.#files);
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
    if (copy.$ref !== undefined) copy.$ref = this.#schemaReference(copy.$ref, from);
    const { $defs: _, ...rest } = copy;
    return rest;
  }

  #schemaReference(reference: string, from: Located): string {
    const target = resolve(reference, from, this.#files);
    const name = nameOf(target.place);
    this.#addSchema(name, target);
    return referenceTo(name);
  }

  /** Resolves everything that is not a schema. */
  #part(from: Located, form: Form, depth: number): unknown {
    const { value, place } = from;
    ensure(depth <= MAX_DEPTH, place, "the references run in a circle", "break the circle");
    if (Array.isArray(value)) {
      return value.map((item, index) =>
        this.#part({ ...from, value: item, place: at(place, index) }, form, depth + 1),
      );
    }
    if (!isRecord(value)) return value;
    if (typeof value.$ref === "string" && this.#isResolved(value.$ref, from, form)) {
      return this.#part(resolve(value.$ref, from, this.#files), form, depth + 1);
    }
    const copy: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(value)) {
      if (place.pointer === "/components" && key === "schemas") continue;
      const below = { ...from, value: item, place: at(place, key) };
      if (isExample(key, item, place)) {
        if (form === "published") copy[key] = item;
      } else if (form === "published" || key !== "examples") {
        copy[key] =
          (key === "schema" || key === "payload") && isSchema(item)
            ? this.#schema(item, below)
            : this.#part(below, form, depth + 1);
      }
    }
    return copy;
  }

  #isResolved(reference: string, from: Located, form: Form): boolean {
    if (form === "resolved") return this.#file.kind === "openapi";
    return !reference.startsWith("#") || from.path !== this.#file.path;
  }
}

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

const onlyReferenceText = (schema: SchemaObject): string | undefined =>
  Object.keys(withoutNotes(schema)).join() === "$ref" ? schema.$ref : undefined;
