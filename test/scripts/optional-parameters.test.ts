import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** They call with the index as the second argument, and the array as the third. */
const WITH_INDEX = /^(every|filter|find|findIndex|findLast|flatMap|forEach|map|some)$/;

const sources = ["src", "scripts"].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => parsed(join(folder, file), readFileSync(join(ROOT, folder, file), "utf8"))),
);

function parsed(name: string, text: string): ts.SourceFile {
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
}

function nodesOf(node: ts.Node): ts.Node[] {
  const nodes = [node];
  ts.forEachChild(node, (child) => void nodes.push(...nodesOf(child)));
  return nodes;
}

/** Returns the name of a function that would take an index for a parameter that may be left out. */
function withOptional(node: ts.Node): string[] {
  if (!ts.isVariableDeclaration(node) && !ts.isFunctionDeclaration(node)) return [];
  const declared = ts.isVariableDeclaration(node) ? node.initializer : node;
  if (!declared || !(ts.isFunctionDeclaration(declared) || ts.isArrowFunction(declared))) return [];
  const isOptional = ({ questionToken, initializer }: ts.ParameterDeclaration) =>
    questionToken ?? initializer;
  return declared.parameters.slice(1, 3).some(isOptional) ? [node.name?.getText() ?? ""] : [];
}

/** Returns where each imported name comes from: `src/a.ts name`. */
function importsOf(file: ts.SourceFile): Map<string, string> {
  const imports = file.statements
    .filter(ts.isImportDeclaration)
    .flatMap(({ importClause, moduleSpecifier }) => {
      const bindings = importClause?.namedBindings;
      if (!bindings || !ts.isNamedImports(bindings) || !ts.isStringLiteral(moduleSpecifier)) return [];
      const from = join(dirname(file.fileName), moduleSpecifier.text);
      return bindings.elements.map(
        ({ name, propertyName }) => [name.text, `${from} ${(propertyName ?? name).text}`] as const,
      );
    });
  return new Map(imports);
}

/** Returns the calls that hand over one of these functions by its name: they would pass it the index. */
function handedOver(files: readonly ts.SourceFile[]): string[] {
  const nodes = new Map(files.map((file) => [file, nodesOf(file)]));
  const all = new Set(
    [...nodes].flatMap(([{ fileName }, each]) =>
      each.flatMap(withOptional).map((name) => `${fileName} ${name}`),
    ),
  );
  return [...nodes].flatMap(([file, each]) => {
    const imports = importsOf(file);
    return each.flatMap((node) => {
      if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return [];
      const [handed] = node.arguments;
      if (!WITH_INDEX.test(node.expression.name.text) || !handed || !ts.isIdentifier(handed)) return [];
      const name = imports.get(handed.text) ?? `${file.fileName} ${handed.text}`;
      return all.has(name) ? [`${file.fileName}: .${node.expression.name.text}(${handed.text})`] : [];
    });
  });
}

it("finds a function that would take the index for a parameter that may be left out", () => {
  const files = [
    parsed("src/cut.ts", "export function cut(text: string, most = 9) {}\ntexts.map((text) => cut(text));"),
    parsed("src/a.ts", 'import { cut as short } from "./cut.ts";\ntexts.map(short);'),
    parsed("src/b.ts", "const cut = (text: string) => text;\ntexts.map(cut);"),
    parsed("src/c.ts", "const cut = (text: string, most?: number) => text;\ntexts.forEach(cut);"),
  ];
  expect(handedOver(files)).toEqual(["src/a.ts: .map(short)", "src/c.ts: .forEach(cut)"]);
});

it("no function with optional parameters is handed to a method that passes an index", () => {
  expect(handedOver(sources)).toEqual([]);
});
