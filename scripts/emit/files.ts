import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { parseDocument } from "yaml";
import { type Place, SpecFault } from "./fault.ts";
import { isRecord } from "./schema.ts";

export type DocumentKind = "openapi" | "asyncapi";

export interface DocumentFile {
  readonly name: string;
  readonly kind: DocumentKind;
  readonly path: string;
}

const DOCUMENT = /^(?<name>[a-z][a-z0-9-]*)\.(?<kind>openapi|asyncapi)\.yaml$/;

/** Returns the documents directly in the spec folder, in the order of their names. */
export function documentFiles(specFolder: string): DocumentFile[] {
  const found: DocumentFile[] = [];
  for (const entry of readdirSync(specFolder).sort()) {
    const groups = DOCUMENT.exec(entry)?.groups;
    if (groups?.name === undefined) continue;
    const kind = groups.kind === "openapi" ? "openapi" : "asyncapi";
    found.push({ name: groups.name, kind, path: join(specFolder, entry) });
  }
  const names = found.map((file) => file.name);
  const twice = found.find((file, index) => names.indexOf(file.name) !== index);
  if (twice !== undefined) {
    const place = { document: basename(twice.path), pointer: "" };
    throw new SpecFault(place, `two documents are named "${twice.name}"`, "rename one of them");
  }
  return found;
}

/** Reads each YAML file once; places carry the path relative to the parent of the spec folder ("spec/a.yaml"). */
export interface YamlFiles {
  read(path: string, referredFrom?: Place): Record<string, unknown>;
  display(path: string): string;
}

export function yamlFiles(specFolder: string): YamlFiles {
  const roots = new Map<string, Record<string, unknown>>();
  const display = (path: string): string =>
    join(basename(specFolder), relative(specFolder, path)).replaceAll("\\", "/");
  return {
    display,
    read(path, referredFrom) {
      const known = roots.get(path);
      if (known !== undefined) return known;
      const root = parseYaml(readText(path, display(path), referredFrom), display(path));
      roots.set(path, root);
      return root;
    },
  };
}

function readText(path: string, shown: string, referredFrom?: Place): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    const place = referredFrom ?? { document: shown, pointer: "" };
    throw new SpecFault(place, `the file ${shown} cannot be read`, "correct the path or add the file");
  }
}

function parseYaml(text: string, document: string): Record<string, unknown> {
  const parsed = parseDocument(text);
  const [error] = parsed.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line ?? 1;
    const problem = `line ${line}: ${error.message.split("\n")[0]}`;
    throw new SpecFault({ document, pointer: "" }, problem, "correct the YAML");
  }
  const root: unknown = parsed.toJS();
  if (!isRecord(root)) {
    throw new SpecFault(
      { document, pointer: "" },
      "the file holds no mapping",
      "start it with keys and values",
    );
  }
  return root;
}
