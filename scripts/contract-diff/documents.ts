import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
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

/** The comparison failed: one line with the reason and the fix. */
export class CannotCompare extends Error {}

export interface Base {
  /** The full name of the commit. */
  commit: string;
  /** The reason of the choice. */
  why: string;
}

/**
 * Returns the commit to compare with: the requested one, or else the merge base of the branch, the last tag, or the last commit.
 * @throws CannotCompare where there is no such commit, or no repository
 */
export function findBase(folder: string, asked: string | undefined): Base {
  git(folder, ["rev-parse", "--git-dir"]);
  if (asked !== undefined) {
    const commit = answer(folder, [
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${asked}^{commit}`,
    ]);
    if (commit) return { commit, why: asked };
    throw new CannotCompare(`${asked} is not a revision: give a commit, a tag or a branch after --base`);
  }
  const grown = answer(folder, ["merge-base", "HEAD", "origin/main"]);
  if (grown) return { commit: grown, why: "merge base with origin/main" };
  const tag = answer(folder, ["describe", "--tags", "--abbrev=0"]);
  if (tag) return { commit: git(folder, ["rev-parse", `${tag}^{commit}`]), why: `tag ${tag}` };
  const head = answer(folder, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (head) return { commit: head, why: "the last commit" };
  throw new CannotCompare("The repository has no commit yet: there is nothing to compare with");
}

/**
 * Writes the folder at a commit to another place, without changing the index or files of the repository.
 * @throws CannotCompare where the commit has no such folder
 */
export function checkOut(folder: string, commit: string, into: string): void {
  const prefix = git(folder, ["rev-parse", "--show-prefix"]);
  const env = { GIT_INDEX_FILE: `${into}.index` };
  const tree = answer(folder, ["rev-parse", "--verify", "--quiet", `${commit}:${prefix}`]);
  if (!tree) throw new CannotCompare(`${commit.slice(0, 10)} has no folder ${prefix}: choose a later --base`);
  mkdirSync(into, { recursive: true });
  const top = git(folder, ["rev-parse", "--show-toplevel"]);
  git(top, ["read-tree", tree], env);
  git(top, ["checkout-index", "--all", `--prefix=${join(into, "/")}`], env);
}

/** Returns the output of git; undefined if it fails. */
function answer(cwd: string, args: readonly string[]): string | undefined {
  try {
    return git(cwd, args);
  } catch (error) {
    if (error instanceof CannotCompare) return undefined;
    throw error;
  }
}

function git(cwd: string, args: readonly string[], env: Record<string, string> = {}): string {
  try {
    const answered = execFileSync("git", [...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    return answered.trim();
  } catch (error) {
    const { code, stderr } = error as { code?: string; stderr?: string };
    if (code === "ENOENT")
      throw new CannotCompare("git is not installed: it holds the revision to compare with");
    const [reason = ""] = (stderr ?? "").split("\n");
    throw new CannotCompare(`git ${args[0]} failed in ${cwd}: ${reason}`);
  }
}
