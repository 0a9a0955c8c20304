import { readdirSync, readFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from "yaml";
import { type Place, type Position, SpecFault } from "./fault.ts";
import { pointerSteps } from "./reference.ts";
import { isRecord } from "./schema.ts";

export type DocumentKind = "openapi" | "asyncapi";

export interface DocumentFile {
  readonly name: string;
  readonly kind: DocumentKind;
  readonly path: string;
}

/** More than any document of the project repeats; a file that repeats more is made to exhaust the memory. */
const MOST_ALIASES = 10_000;

const START: Position = { line: 1, column: 1 };

const DOCUMENT = /^(?<name>[a-z][a-z0-9-]*)\.(?<kind>openapi|asyncapi)\.yaml$/;

/** Returns the documents directly in the spec folder, in the order of their names. */
export function documentFiles(specFolder: string): DocumentFile[] {
  const found: DocumentFile[] = [];
  for (const entry of readdirSync(specFolder).sort()) {
    const groups = DOCUMENT.exec(entry)?.groups;
    if (groups?.name === undefined) {
      refuseMisnamed(entry, specFolder);
      continue;
    }
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

/** Refuses a document whose name would hide it: no code would be generated from it. */
function refuseMisnamed(entry: string, specFolder: string): void {
  const isNamed = /(?:openapi|asyncapi)[^/]*[.](?:ya?ml|json)$/i.test(entry);
  const isDocument = () =>
    /^["'{ ]*(?:openapi|asyncapi)["']?\s*:/m.test(readFileSync(join(specFolder, entry), "utf8"));
  if (!isNamed && !(/[.](?:ya?ml|json)$/i.test(entry) && isDocument())) return;
  const place = { document: `${basename(specFolder)}/${entry}`, pointer: "", position: START };
  throw new SpecFault(
    place,
    "nothing is generated from a file of this name",
    "name it NAME.openapi.yaml or NAME.asyncapi.yaml, in small letters, digits and hyphens",
  );
}

/** Reads each YAML file once; places carry the path relative to the parent of the spec folder ("spec/a.yaml"). */
export interface YamlFiles {
  read(path: string, referredFrom?: Place): Record<string, unknown>;
  display(path: string): string;
  /** Where a place is in the text of its file; that of what is around it if it is not there. */
  positionOf(place: Place): Position | undefined;
}

export function yamlFiles(specFolder: string): YamlFiles {
  const parsed = new Map<string, Parsed>();
  const display = (path: string): string =>
    join(basename(specFolder), relative(specFolder, path)).replaceAll("\\", "/");
  return {
    display,
    read(path, referredFrom) {
      const shown = display(path);
      const file = parsed.get(shown) ?? parseYaml(readText(path, shown, referredFrom), shown);
      parsed.set(shown, file);
      return file.root;
    },
    positionOf: ({ document, pointer, position }) => {
      const file = parsed.get(document);
      return position ?? (file && positionIn(file, pointerSteps(pointer)));
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

interface Parsed {
  readonly root: Record<string, unknown>;
  readonly tree: Document;
  readonly lines: LineCounter;
}

const MERGE_CONFLICT = /^(?:<{7}|={7}|>{7})(?: |$)/m;

function parseYaml(text: string, document: string): Parsed {
  const lines = new LineCounter();
  const tree = parseDocument(text, { lineCounter: lines });
  const [error] = tree.errors;
  const conflict = MERGE_CONFLICT.exec(text);
  if (conflict) {
    const place = {
      document,
      pointer: "",
      position: { line: text.slice(0, conflict.index).split("\n").length, column: 1 },
    };
    throw new SpecFault(place, "a merge conflict is not resolved", "keep one of the two sides");
  }
  if (error !== undefined) {
    const { line = 1, col = 1 } = error.linePos?.[0] ?? {};
    const [message = ""] = error.message.split("\n");
    const place = { document, pointer: "", position: { line, column: col } };
    throw new SpecFault(place, message.replace(/ at line \d+, column \d+:?$/, ""), "correct the YAML");
  }
  refuseLost(tree, lines, document);
  const root = rootOf({ tree, lines }, document);
  if (isRecord(root)) return { root, tree, lines };
  throw new SpecFault(
    { document, pointer: "" },
    "the file holds no mapping",
    "start it with keys and values",
  );
}

/** Refuses what JavaScript would not keep. */
function refuseLost(tree: Document, lines: LineCounter, document: string): void {
  visit(tree, {
    Scalar: (_key, { value, source, range }) => {
      const isLost = Number.isInteger(value) && !Number.isSafeInteger(value);
      if (!isLost && value !== "__proto__") return;
      throw new SpecFault(
        { document, pointer: "", position: positionAt(lines, range?.[0] ?? 0) },
        isLost
          ? `readers of JSON round ${source}, which is beyond 2^53`
          : "the name __proto__ is not supported",
        isLost ? "write a smaller number, or a text" : "choose another name",
      );
    },
  });
}

function rootOf({ tree, lines }: Omit<Parsed, "root">, document: string): unknown {
  try {
    return tree.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    let offset = 0;
    visit(tree, {
      Alias: (_, alias) => {
        if (!alias.resolve(tree)) offset ||= alias.range?.[0] ?? 0;
      },
    });
    const position = positionAt(lines, offset);
    throw new SpecFault({ document, pointer: "", position }, (error as Error).message, "correct the YAML");
  }
}

function positionIn({ tree, lines }: Parsed, steps: readonly string[]): Position {
  let node: unknown = tree.contents;
  let offset = 0;
  for (const step of steps) {
    const target: unknown = isAlias(node) ? node.resolve(tree) : node;
    const pair = isMap(target) ? target.items.find(({ key }) => textOf(key) === step) : undefined;
    const item = isSeq(target) ? target.items[Number(step)] : undefined;
    const [shown, next] = pair ? [pair.key, pair.value] : [item, item];
    if (!isNode(shown)) break;
    offset = startOf(shown) ?? offset;
    node = next;
  }
  return positionAt(lines, offset);
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

const textOf = (key: unknown): string => String(isNode(key) ? key.toJSON() : key);

const startOf = ({ range }: Node): number | undefined => range?.[0];
