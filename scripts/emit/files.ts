import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from "yaml";
import {
  Faults,
  type Place,
  type Position,
  pointerStep,
  pointerSteps,
  refuseRepeated,
  SpecFault,
  SpecFaults,
} from "./fault.ts";
import { isRecord, recordOf } from "./schema.ts";

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
export function documentFiles(specFolder: string, faults = new Faults()): DocumentFile[] {
  const found = readdirSync(specFolder)
    .sort()
    .flatMap((entry): DocumentFile[] => {
      const { name, kind } = DOCUMENT.exec(entry)?.groups ?? {};
      if (name !== undefined) return [{ name, kind: kind as DocumentKind, path: join(specFolder, entry) }];
      faults.try(() => refuseMisnamed(entry, specFolder));
      return [];
    });
  refuseRepeated(
    faults,
    found,
    ({ name }) => name,
    ({ name, path }) => {
      const document = `${basename(specFolder)}/${basename(path)}`;
      const place = { document, pointer: "", position: START };
      return [place, `two documents are named "${name}"`, "rename one of them"];
    },
  );
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
  /** The path of a file as it is displayed. */
  pathOf(document: string): string;
  /** Where a place is in the text of its file; that of what is around it if it is not there. */
  positionOf(place: Place): Position | undefined;
}

/** `onLost` is called with the faults of a file that can be read, but not kept as it is. */
export function yamlFiles(specFolder: string, onLost = refuseAll): YamlFiles {
  const parsed = new Map<string, Parsed>();
  const display = (path: string): string =>
    join(basename(specFolder), relative(specFolder, path)).replaceAll("\\", "/");
  return {
    display,
    pathOf: (document) => join(dirname(specFolder), document),
    read(path, referredFrom) {
      const shown = display(path);
      const file = parsed.get(shown) ?? parseYaml(readText(path, shown, referredFrom), shown, onLost);
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

function parseYaml(text: string, document: string, onLost: typeof refuseAll): Parsed {
  const lines = new LineCounter();
  const tree = parseDocument(text, { lineCounter: lines });
  const faults: SpecFault[] = [];
  const refuse: Refuse = (offset, problem, advice, pointer = "") => {
    faults.push(new SpecFault({ document, pointer, position: positionAt(lines, offset) }, problem, advice));
  };
  const conflict = MERGE_CONFLICT.exec(text);
  if (conflict) refuse(conflict.index, "a merge conflict is not resolved", "keep one of the two sides");
  for (const { message, pos } of tree.errors)
    refuse(pos[0], message.replace(/(?: at line \d+, column \d+:?)?(?:\n[\s\S]*)?$/, ""), "correct the YAML");
  const root = faults.length > 0 ? undefined : rootOf(tree, refuse);
  if (faults.length === 0 && !isRecord(root))
    refuse(0, "the file holds no mapping", "start it with keys and values");
  if (faults.length > 0) refuseAll(faults);
  refuseLost(tree, refuse);
  if (faults.length > 0) onLost(faults);
  return { root: recordOf(root), tree, lines };
}

function refuseAll(faults: readonly SpecFault[]): void {
  throw new SpecFaults(faults);
}

type Refuse = (offset: number, problem: string, advice: string, pointer?: string) => void;

/** Refuses what JavaScript would not keep. */
function refuseLost(tree: Document, refuse: Refuse): void {
  visit(tree, {
    Scalar: (_key, node, path) => {
      const { value, source, range } = node;
      const offset = range?.[0] ?? 0;
      if (value === "__proto__") refuse(offset, "the name __proto__ is not supported", "choose another name");
      if (Number.isInteger(value) && !Number.isSafeInteger(value))
        refuse(
          offset,
          `readers of JSON round ${source}, which is beyond 2^53`,
          "write a smaller number, or a text",
          pointerOf([...path, node]),
        );
    },
  });
}

/** Returns the pointer of a scalar by what is around it, from the outside. */
function pointerOf(path: readonly unknown[]): string {
  const steps = path.flatMap((node, index) => {
    if (isPair(node)) return pointerStep(textOf(node.key));
    return isSeq(node) ? pointerStep(node.items.indexOf(path[index + 1])) : [];
  });
  return steps.join("");
}

function rootOf(tree: Document, refuse: Refuse): unknown {
  try {
    return tree.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    let offset = 0;
    visit(tree, {
      Alias: (_, alias) => {
        if (!alias.resolve(tree)) offset ||= alias.range?.[0] ?? 0;
      },
    });
    refuse(offset, (error as Error).message, "correct the YAML");
    return undefined;
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
    offset = shown.range?.[0] ?? offset;
    node = next;
  }
  return positionAt(lines, offset);
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

const textOf = (key: unknown): string => String(isNode(key) ? key.toJSON() : key);
