import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import type { ValidatorLeaf, ValidatorPlan, ValidatorTree } from "../openapi/validators.ts";
import { compiler, standaloneModule } from "./compile.ts";

const HERE = dirname(fileURLToPath(import.meta.url));
/** esbuild names modules by their path from here; from the working directory, the text would depend on it. */
const PROJECT = join(HERE, "..", "..", "..");
/** Returns the quoted path of a module of the runtime. */
const runtimeFile = (name: string): string => JSON.stringify(join(PROJECT, "src", "runtime", name));

/** Returns `validators.js`: one self-contained module, compiled and bundled, that imports nothing. */
export async function emitValidators(plan: ValidatorPlan): Promise<string> {
  const ids = Object.keys(plan.schemas);
  const modules: Record<string, string> = {
    entry: entryModule(plan, ids),
    fast: withRuntime(standaloneModule(compiler(plan.schemas, "fast"), ids)),
    full: withRuntime(standaloneModule(compiler(plan.schemas, "full"), ids)),
  };
  const result = await build({
    entryPoints: ["generated:entry"],
    plugins: [virtualModules(modules)],
    absWorkingDir: PROJECT,
    bundle: true,
    write: false,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    target: "es2022",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    charset: "utf8",
    logLevel: "silent",
  });
  return pure(onePerLine(result.outputFiles[0]?.text ?? ""));
}

/** The project's functions in place of Ajv's imports: CommonJS modules, which no bundler drops where they are unused. */
function withRuntime(code: string): string {
  const moduleCode = code
    .replaceAll('require("ajv/dist/runtime/ucs2length").default', "textLength")
    // This one would call the `toString` that a value holds.
    .replaceAll('require("ajv/dist/runtime/equal").default', "isEqual");
  return `import { textLength } from ${runtimeFile("text-length.ts")};
import { isEqual, isUnique } from ${runtimeFile("equal.ts")};
import { isMultiple } from ${runtimeFile("multiple.ts")};
import { bounded, FURTHER, MAX_ERRORS_OF_LIST } from ${runtimeFile("validator.ts")};
${moduleCode}`;
}

/** Marks calls at the top level as free of side effects, so a bundle holds only the used validators. */
function pure(code: string): string {
  return code.replaceAll(/=(?=validator\(|new RegExp\()/g, "=/* @__PURE__ */");
}

/** Puts the function of each schema on a separate line, so a diff can be read by line. */
function onePerLine(code: string): string {
  return code.replaceAll(/(?<=[;}])(?=function validate\d+\()/g, "\n");
}

function virtualModules(modules: Readonly<Record<string, string>>): Plugin {
  return {
    name: "generated",
    setup(pluginBuild) {
      pluginBuild.onResolve({ filter: /^generated:/ }, ({ path }) => ({
        path: path.slice("generated:".length),
        namespace: "generated",
      }));
      pluginBuild.onLoad({ filter: /.*/, namespace: "generated" }, ({ path }) => ({
        contents: modules[path] ?? "",
        loader: "js",
        resolveDir: HERE,
      }));
    },
  };
}

function entryModule({ exports }: ValidatorPlan, ids: readonly string[]): string {
  const nameOf = ({ id }: ValidatorLeaf): string => `c${ids.indexOf(id)}`;
  const constants = ids.map((_id, index) => `const c${index} = validator(fast.v${index}, full.v${index});\n`);
  const exported = Object.entries(exports).map(
    ([name, tree]) => `export const ${name} = ${printTree(tree, nameOf)};\n`,
  );
  const names = Object.entries(exports.schemas).map(([name, leaf]) => `${nameOf(leaf)} as is${name}`);
  return `import { validator } from ${runtimeFile("validator.ts")};
import * as fast from "generated:fast";
import * as full from "generated:full";
${constants.join("")}${exported.join("")}export { ${names.join(", ")} };
`;
}

/** Returns `validators.d.ts`: the types of the validators. */
export function emitValidatorTypes({ exports }: ValidatorPlan, runtime: string): string {
  const withOperations = exports.requests !== undefined;
  const types = withOperations ? "components, operations" : "components";
  const parts = `import type { RequestBody, RequestPart, ResponseBody } from "${runtime}/bodies.js";\n`;
  const validatorOf = ({ type }: ValidatorLeaf): string => `Validator<${type}>`;
  const exported = Object.entries(exports).map(
    ([name, tree]) => `export declare const ${name}: ${printTree(tree, validatorOf, "readonly ")};\n`,
  );
  const singles = Object.entries(exports.schemas).map(
    ([name, leaf]) => `export declare const is${name}: ${validatorOf(leaf)};\n`,
  );
  return `${withOperations ? parts : ""}import type { Validator } from "${runtime}/validator.js";
import type { ${types} } from "./types.js";

${exported.join("\n")}
/** Each validator as a separate export: a bundle holds only the used ones. */
${singles.join("")}`;
}

function printTree(tree: ValidatorTree, leafText: (leaf: ValidatorLeaf) => string, before = ""): string {
  if (Object.keys(tree).length === 0) return before === "" ? "{}" : "Record<string, never>";
  const separator = before === "" ? ", " : "; ";
  const members = Object.entries(tree).map(([name, value]) => {
    const text = isLeaf(value) ? leafText(value) : printTree(value, leafText, before);
    return `${before}${JSON.stringify(name)}: ${text}`;
  });
  return `{ ${members.join(separator)} }`;
}

const isLeaf = (value: ValidatorTree | ValidatorLeaf): value is ValidatorLeaf => typeof value.id === "string";
