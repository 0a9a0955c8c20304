import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { emit } from "../../scripts/emit/emit.ts";
import { SpecFault } from "../../scripts/emit/fault.ts";
import type { Validator } from "../../src/runtime/validator.ts";
import { compile, folderInProject, folderWith, openapi, PROJECT } from "./workspace.ts";

const SUITE = join(PROJECT, "test", "testdata", "json-schema-test-suite", "draft2020-12");

interface Group {
  readonly description: string;
  readonly schema: boolean | object;
  readonly tests: readonly { description: string; data: unknown; valid: boolean }[];
}

/** Each schema is in a file of its own, so a reference to its root has one more step. */
function placed(value: unknown, key = ""): unknown {
  if (Array.isArray(value)) return key === "enum" ? value : value.map((item) => placed(item));
  if (typeof value !== "object" || value === null || key === "const") return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => {
      if (name === "$schema") return [];
      const isLocal = name === "$ref" && typeof item === "string" && item.startsWith("#");
      return [[name, isLocal ? `#/Thing${item.slice(1)}` : placed(item, name)]];
    }),
  );
}

const folder = folderInProject();
afterAll(folder.remove);
let modules = 0;
/** Each accepted value as a type: JSON is one that no widening changes. */
const accepted: string[] = [];

/** Returns the generated validator; undefined if the schema is refused. */
async function validatorOf(schema: Group["schema"]): Promise<Validator<unknown> | undefined> {
  const schemas = { Thing: { $ref: "thing.yaml#/Thing" } };
  const spec = folderWith({
    "a.openapi.yaml": openapi({ schemas }),
    "thing.yaml": { Thing: placed(schema) },
  });
  try {
    const output = await emit(spec);
    modules += 1;
    const path = join(folder.path, `validators-${modules}.mjs`);
    writeFileSync(path, output.get("a/validators.js") ?? "");
    writeFileSync(path.replace(".mjs", ".ts"), output.get("a/types.ts") ?? "");
    return ((await import(pathToFileURL(path).href)) as { isThing: Validator<unknown> }).isThing;
  } catch (error) {
    if (error instanceof SpecFault) return undefined;
    throw error;
  }
}

/** The suite takes `format` as an annotation; the generated validators check it (decisions, "formats"). */
const isAnnotationOnly = (description: string) => description.endsWith("is only an annotation by default");

describe("the official tests of JSON Schema 2020-12", () => {
  const counts = { right: 0, refused: 0, wrong: [] as string[] };

  it.each(readdirSync(SUITE))("%s: no verdict is wrong", async (file) => {
    const groups: Group[] = JSON.parse(readFileSync(join(SUITE, file), "utf8"));
    for (const { description, schema, tests } of groups) {
      const validate = await validatorOf(schema);
      for (const test of tests) {
        if (isAnnotationOnly(test.description)) continue;
        if (validate === undefined) counts.refused += 1;
        else if (
          validate(test.data) !== test.valid ||
          (validate.errorsOf(test.data).length === 0) !== test.valid
        )
          counts.wrong.push(`${file}: ${description}: ${test.description}`);
        else counts.right += 1;
        if (validate?.(test.data)) {
          const of = `import("./validators-${modules}.ts").Thing`;
          accepted.push(`export const v${accepted.length}: ${of} = is<${JSON.stringify(test.data)}>();`);
        }
      }
    }
    expect(counts.wrong).toEqual([]);
  });

  it("have types that every accepted value has", () => {
    const uses = ["declare function is<T>(): T;", ...accepted].join("\n");
    expect(accepted.length).toBeGreaterThan(400);
    const errors = compile(folder.path, { "uses.ts": uses });
    // The compiler takes a value without any of the optional members for a mistake.
    expect(errors.filter(({ text }) => !/in common|\{ (?:\w+\?: \w+; )+\} \|/.test(text))).toEqual([]);
  });

  it("are understood or refused, most of them understood", () => {
    console.log(`${counts.right} right, ${counts.refused} in schemas that are refused by name`);
    // Refused are also lists of required names that are no properties, and defaults that are not valid.
    expect(counts.right).toBeGreaterThanOrEqual(980);
    expect(counts.right + counts.refused).toBeGreaterThan(1_250);
  });
});
