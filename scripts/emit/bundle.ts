import { inlined } from "./documents/bundled.ts";
import { at, ensure, Faults, type Place, pointerSteps, SpecFault } from "./fault.ts";
import type { DocumentFile, DocumentKind, YamlFiles } from "./files.ts";
import { type Located, resolve } from "./located.ts";
import {
  COMPLETES,
  isExtension,
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
  /** What schemas and operations are called in the code, where the document calls them otherwise: "PetOwner" by "pet-owner". */
  readonly names: ReadonlyMap<string, string>;
}

const SCHEMA_NAME = /^[A-Z][A-Za-z0-9]*$/;

/** Reads a document and includes the schemas and parts of other files that it refers to. */
export function bundle(file: DocumentFile, files: YamlFiles, faults = new Faults()): SpecDocument {
  return new Bundler(file, files, faults).bundle();
}

class Bundler {
  readonly #file: DocumentFile;
  readonly #files: YamlFiles;
  readonly #faults: Faults;
  readonly #names = new Map<string, string>();
  readonly #schemas: Record<string, Schema> = {};
  readonly #origins = new Map<string, Place>();

  constructor(file: DocumentFile, files: YamlFiles, faults: Faults) {
    this.#faults = faults;
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
      names: this.#names,
    };
  }

  /** Moves the links from the schemas into a map. */
  #completeForms(): ReadonlyMap<string, string> {
    const forms = new Map<string, string>();
    for (const [name, schema] of Object.entries(this.#schemas)) {
      if (typeof schema === "boolean" || !(COMPLETES in schema)) continue;
      const { [COMPLETES]: of, ...rest } = schema;
      this.#schemas[name] = rest;
      this.#faults.try(() => {
        const place = at(this.#origins.get(name) ?? { document: "", pointer: "" }, COMPLETES);
        const whole = typeName(String(of));
        const isOther = whole !== name && Object.hasOwn(this.#schemas, whole);
        ensure(isOther, place, `there is no other schema "${of}"`, "name a schema of this document");
        ensure(
          !forms.has(whole),
          place,
          `${forms.get(whole)} already completes ${of}`,
          "keep one of the two",
        );
        forms.set(whole, name);
      });
    }
    return forms;
  }

  #addOwnSchemas(document: Located, root: Record<string, unknown>): void {
    for (const [name, value] of Object.entries(recordOf(recordOf(root.components).schemas))) {
      const place = at(document.place, "components", "schemas", name);
      this.#faults.try(() => this.#addSchema(name, { ...document, value, place }));
    }
  }

  /** Adds a schema to the named schemas, and returns its name there. An own name for a shared schema of the same name is that schema. */
  #addSchema(written: string, target: Located): string {
    const name = typeName(written);
    const advice = "write a mapping or true or false";
    ensure(isSchema(target.value), target.place, "there is no schema here", advice);
    if (isReference(target.value) && target.value.$ref.endsWith(`/${written}`)) {
      const next = resolve(target.value.$ref, target, this.#files);
      if (next.place.pointer !== target.place.pointer || next.path !== target.path) {
        return this.#addSchema(written, next);
      }
    }
    if (this.#isKnown(name, target.place)) return name;
    this.#rename(written, name);
    this.#origins.set(name, target.place);
    this.#schemas[name] = true;
    this.#schemas[name] = this.#schema(target.value, target);
    return name;
  }

  #rename(written: string, name: string): string {
    if (name !== written) this.#names.set(written, name);
    return name;
  }

  #isKnown(name: string, place: Place): boolean {
    const advice = "name schemas by letters and digits, a letter first";
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
      const name = this.#faults.try(() => {
        const target = resolve(String(copy.$ref), from, this.#files);
        return this.#addSchema(nameOf(target.place), target);
      });
      if (name === undefined) return true;
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
    const reference = value.$ref;
    if (typeof reference === "string" && !isOwn)
      return this.#faults.try(() => this.#part(resolve(reference, from, this.#files)));
    const { schemas: _, ...others } = value;
    return mapRecord(place.pointer === "/components" ? others : value, (item, key) => {
      const below = { ...from, value: item, place: at(place, key) };
      if (isExample(key, item, place) || isExtension(key, pointerSteps(place.pointer).at(-1))) return item;
      if (key === "operationId" && typeof item === "string") return this.#rename(item, methodName(item));
      const holdsSchema = (key === "schema" || key === "payload") && isSchema(item);
      return holdsSchema ? this.#schema(item, below) : this.#part(below);
    });
  }
}

/** Words that only signs separate; other letters would be lost. */
const WORDS = /^[A-Za-z0-9]+(?:[ ._/-]+[A-Za-z0-9]+)*$/;
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Returns the name of the type of a schema: PetOwner of `pet-owner`. */
function typeName(name: string): string {
  return WORDS.test(name)
    ? name
        .split(/[^A-Za-z0-9]+/)
        .map(capital)
        .join("")
    : name;
}

/** Returns the name of the method of an operation: listPets of `list-pets`, `LIST_PETS` and `ListPets`. */
function methodName(operationId: string): string {
  if (!WORDS.test(operationId)) return operationId;
  const hasCase = /[a-z]/.test(operationId);
  const name = typeName(hasCase ? operationId : operationId.toLowerCase());
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** Whether the reference leads to a part of the document that is not a schema. */
const isPart = (reference: string): boolean => referredName(reference) === undefined;

/** Returns the name of a schema: the last step, and before it those of the schema that it is a part of. */
function nameOf({ pointer }: Place): string {
  const steps = pointerSteps(pointer.replace(/^\/components\/schemas(?=\/)/, ""));
  const [first = "", ...below] = steps.filter((step) => step !== "$defs");
  return (
    first +
    below
      .flatMap((step) => step.split(/[^A-Za-z0-9]+/))
      .map(capital)
      .join("")
  );
}

/** Returns whether the value is an example, which is not resolved. The map of named examples is: it may refer to another file. */
function isExample(key: string, item: unknown, holder: Place): boolean {
  if (key === "value") return /\/examples\/[^/]+$/.test(holder.pointer);
  return key === "example" || (key === "examples" && !isRecord(item));
}
