import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { at, ensure, type Place, type Position } from "../emit/fault.ts";
import { type YamlFiles, yamlFiles } from "../emit/files.ts";
import { type Located, resolve } from "../emit/located.ts";
import {
  isAnnotation,
  isRecord,
  isSchema,
  KEYWORDS,
  mapSubschemas,
  referenceTo,
  type Schema,
  withoutNotes,
} from "../emit/schema.ts";

/** Returns the documents of a spec folder, by file name. */
export function documentsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).filter((name) => /\.(openapi|asyncapi)\.yaml$/.test(name));
}

/** Returns whether a document and all its references are the same in both folders. */
export function isSame(document: string, base: string, revision: string): boolean {
  const before = contents(base, document);
  const after = contents(revision, document);
  return before.size === after.size && [...before].every(([file, text]) => after.get(file) === text);
}

function contents(folder: string, file: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(file)) return found;
  const path = join(folder, file);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  found.set(file, text);
  for (const [, reference = ""] of text.matchAll(/\$ref:\s*["']?([\w./-]+\.yaml)/g)) {
    contents(folder, normalize(join(dirname(file), reference)), found);
  }
  return found;
}

/** One revision of a document. Its schemas refer to each other by names that no other revision has. */
export class Side {
  readonly root: Located;
  /** Keywords that no generated code heeds, with place and value. */
  readonly foreign = new Set<string>();
  readonly #files: YamlFiles;
  readonly #named: Record<string, Schema>;
  readonly #names = new Map<string, string>();
  readonly #places = new Map<Schema, Place>();

  constructor(folder: string, document: string, named: Record<string, Schema>) {
    this.#files = yamlFiles(folder);
    this.#named = named;
    const path = join(folder, document);
    const place = { document: this.#files.display(path), pointer: "" };
    this.root = { value: this.#files.read(path), path, place };
  }

  /** Returns what stands under a key, with references followed. */
  below(from: Located | undefined, key: string | number): Located | undefined {
    if (from === undefined || typeof from.value !== "object" || from.value === null) return undefined;
    const value: unknown = Object.hasOwn(from.value, key)
      ? (from.value as Record<string, unknown>)[key]
      : undefined;
    return value === undefined ? undefined : this.#follow({ ...from, value, place: at(from.place, key) });
  }

  #follow(from: Located, passed: readonly unknown[] = []): Located {
    if (!isRecord(from.value) || typeof from.value.$ref !== "string") return from;
    ensure(!passed.includes(from.value), from.place, "the references run in a circle", "break the circle");
    return this.#follow(resolve(from.value.$ref, from, this.#files), [...passed, from.value]);
  }

  schema(from: Located): Schema {
    return this.#named[this.#nameOf(from)] ?? true;
  }

  placeOf(schema: Schema): Place | undefined {
    return typeof schema === "boolean" ? undefined : this.#places.get(schema);
  }

  positionOf(place: Place): Position {
    return this.#files.positionOf(place) ?? { line: 1, column: 1 };
  }

  #nameOf(from: Located): string {
    const { value, place } = from;
    ensure(isSchema(value), place, "there is no schema here", "write a mapping or true or false");
    const key = `${place.document}#${place.pointer}`;
    const name = this.#names.get(key) ?? `S${Object.keys(this.#named).length}`;
    if (this.#names.has(key)) return name;
    this.#names.set(key, name);
    this.#named[name] = true;
    this.#named[name] = this.#renamed(value, from);
    return name;
  }

  #renamed(schema: Schema, from: Located): Schema {
    if (typeof schema === "boolean") return schema;
    const { $defs: _, ...copy } = mapSubschemas(schema, (below, steps) =>
      this.#renamed(below, { ...from, value: below, place: at(from.place, ...steps) }),
    );
    for (const [keyword, value] of Object.entries(copy)) {
      if (KEYWORDS.has(keyword) || isAnnotation(keyword) || keyword.startsWith("x-")) continue;
      this.foreign.add(`"${keyword}" ${JSON.stringify(value)} at #${from.place.pointer}`);
    }
    const result = copy.$ref === undefined ? copy : this.#referring(copy, copy.$ref, from);
    this.#places.set(result, from.place);
    return result;
  }

  /** Keywords beside a reference apply as well. */
  #referring(schema: Exclude<Schema, boolean>, reference: string, from: Located): Exclude<Schema, boolean> {
    const $ref = referenceTo(this.#nameOf(resolve(reference, from, this.#files)));
    const isAlone = Object.keys(withoutNotes(schema)).length === 1;
    const { $ref: _, ...rest } = schema;
    return isAlone ? { ...rest, $ref } : { ...rest, allOf: [...(rest.allOf ?? []), { $ref }] };
  }
}
