import { _, type CodeKeywordDefinition, type KeywordCxt, Name } from "ajv";
import names from "ajv/dist/compile/names.js";
import { defaultOf } from "./interop.ts";

const { errors, vErrors } = defaultOf(names);

/**
 * `oneOf` and `anyOf` as JSON Schema defines them. Their error holds the errors of each branch, which Ajv's own keywords put beside it
 * and references make impossible to separate; the runtime needs them to report the nearest branch only.
 */
export function alternatives(keyword: "oneOf" | "anyOf"): CodeKeywordDefinition {
  return {
    keyword,
    schemaType: "array",
    before: "not",
    trackErrors: true,
    error: {
      message: keyword,
      params: ({ params }) => _`{passing: ${params.passing}, branches: ${params.branches}}`,
    },
    code: (context) => branchesOf(context, keyword),
  };
}

function branchesOf(context: KeywordCxt, keyword: "oneOf" | "anyOf"): void {
  const { gen } = context;
  const passing = gen.let("passing", 0);
  const branches = gen.const("branches", _`[]`);
  const start = gen.let("start");
  const valid = gen.name("_valid");
  const schemas: readonly unknown[] = context.schema;
  schemas.forEach((_schema, index) => {
    gen.assign(start, errors);
    const branch = context.subschema({ keyword, schemaProp: index, compositeRule: true }, valid);
    gen.if(
      valid,
      () => {
        gen.code(_`${passing}++`);
        context.mergeEvaluated(branch, Name);
      },
      () => gen.code(_`${branches}.push(${vErrors}.slice(${start}))`),
    );
  });
  context.setParams({ passing, branches });
  context.reset();
  context.pass(keyword === "oneOf" ? _`${passing} === 1` : _`${passing} > 0`);
}
