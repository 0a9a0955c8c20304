import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { parse } from "yaml";

/** What a YAML document holds, before anything is known of its shape. */
export type Node = { readonly [key: string]: unknown };

/** Where something stands: a file, relative to the spec folder, and a JSON pointer into it. */
export interface Place {
  file: string;
  pointer: string;
}

export interface SpecFolder {
  /** By path relative to the folder. */
  readonly files: ReadonlyMap<string, Node>;
  /** @throws Error for a reference to nowhere, which names both ends */
  follow(reference: string, from: string): Place & { value: Node };
}

/** The documents of a spec folder and the schemas that they share. */
export function readSpecFolder(folder: string): SpecFolder {
  const names = readdirSync(folder).filter((name) => /\.(openapi|asyncapi)\.yaml$/.test(name));
  const shared = readdirSync(join(folder, "schemas")).filter((name) => name.endsWith(".yaml"));
  const paths = [...names.sort(), ...shared.sort().map((name) => `schemas/${name}`)];
  const files = new Map(paths.map((path) => [path, readYaml(join(folder, path))]));
  return { files, follow: (reference, from) => follow(files, reference, from) };
}

function readYaml(path: string): Node {
  return parse(readFileSync(path, "utf8"), { maxAliasCount: -1 }) as Node;
}

function follow(files: SpecFolder["files"], reference: string, from: string): Place & { value: Node } {
  const [path = "", pointer = ""] = reference.split("#");
  const file = path === "" ? from : posix.join(posix.dirname(from), path);
  const value = valueAt(files.get(file), pointer);
  if (isNode(value)) return { file, pointer, value };
  throw new Error(`${from} refers to ${reference}, which is nowhere`);
}

function valueAt(document: unknown, pointer: string): unknown {
  return keysOf(pointer).reduce<unknown>(
    (node, key) => (Array.isArray(node) ? node[Number(key)] : isNode(node) ? node[key] : undefined),
    document,
  );
}

/** The keys of a JSON pointer (RFC 6901). */
export function keysOf(pointer: string): string[] {
  const keys = pointer.split("/").slice(1);
  return keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function pointerOf(keys: readonly (string | number)[]): string {
  return keys.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Every object and list below a value, the value itself first, in the order of the text. */
export function* nodesBelow(
  value: unknown,
  keys: readonly (string | number)[] = [],
): Generator<{ keys: readonly (string | number)[]; node: Node }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* nodesBelow(item, [...keys, index]);
  } else if (isNode(value)) {
    yield { keys, node: value };
    for (const [key, member] of Object.entries(value)) yield* nodesBelow(member, [...keys, key]);
  }
}
