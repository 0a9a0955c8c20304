/** A JSON value of a YAML file. */
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
type Members = { [name: string]: Json };

/**
 * Returns an OpenAPI document with `times` copies of its content, each under separate names: paths, operations and all that they refer
 * to. The first copy keeps its names.
 */
export function grownDocument(document: Members, times: number): Members {
  const copies = Array.from({ length: times }, (_, index) => copyOf(document, index));
  const components: Members = {};
  for (const kind of Object.keys(membersOf(document.components))) {
    components[kind] = merged(copies.map((copy) => membersOf(copy.components)[kind]));
  }
  return { ...document, paths: merged(copies.map(({ paths }) => paths)), components };
}

const membersOf = (value: Json | undefined): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};

const merged = (all: readonly (Json | undefined)[]): Members => Object.assign({}, ...all.map(membersOf));

/** Security schemes are not copied: they name no schemas. */
function copyOf(document: Members, index: number): Members {
  if (index === 0) return document;
  const suffix = `Copy${index}`;
  const paths = Object.entries(membersOf(document.paths)).map(([path, item]): [string, Json] => [
    `/copy${index}${path}`,
    renamed(item, suffix),
  ]);
  const components = Object.entries(membersOf(document.components)).map(([kind, named]): [string, Json] => [
    kind,
    kind === "securitySchemes" ? named : renamedAll(membersOf(named), suffix),
  ]);
  return { ...document, paths: Object.fromEntries(paths), components: Object.fromEntries(components) };
}

function renamedAll(named: Members, suffix: string): Members {
  return Object.fromEntries(
    Object.entries(named).map(([name, value]) => [name + suffix, renamed(value, suffix)]),
  );
}

/** Renames references and operation ids; everything else is the same in every copy. */
function renamed(value: Json, suffix: string): Json {
  if (Array.isArray(value)) return value.map((item) => renamed(item, suffix));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, item]): [string, Json] => {
    const isName = (name === "$ref" || name === "operationId") && typeof item === "string";
    return [name, isName ? item + suffix : renamed(item, suffix)];
  });
  return Object.fromEntries(entries);
}
