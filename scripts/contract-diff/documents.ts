import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { parse } from "yaml";
import { COMPLETES } from "../emit/schema.ts";

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

/** Returns the names of the schemas that complete another one. */
export function completeForms(path: string): string[] {
  const { components } = parse(readFileSync(path, "utf8")) as {
    components?: { schemas?: Record<string, object> };
  };
  return Object.entries(components?.schemas ?? {}).flatMap(([name, schema]) =>
    COMPLETES in schema ? [name] : [],
  );
}
