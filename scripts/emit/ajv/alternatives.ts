import { _, type CodeKeywordDefinition, type KeywordCxt, Name } from "ajv";
import names from "ajv/dist/compile/names.js";
import { defaultOf } from "./interop.ts";

const { errors } = defaultOf(names);

/**
 * `oneOf` and `anyOf` as JSON Schema defines them. Their error also counts the preceding errors of each branch,
 * which Ajv's own keywords do not report and references make impossible to reconstruct;
 * the runtime needs it to report the nearest branch only.
 */
export function alternatives(keyword: "oneOf" | "anyOf"): CodeKeywordDefinition {
  return {
    keyword,
    schemaType: "array",
    before: "not",
    trackErrors: true,
    error: {
      message: keyword,
      params: ({ params }) => _`{passing: ${params.passing}, sizes: ${params.sizes}}`,
    },
    code: (context) => branches(context, keyword),
  };
}

function branches(context: KeywordCxt, keyword: "oneOf" | "anyOf"): void {
  const { gen } = context;
  const passing = gen.let("passing", 0);
  const sizes = gen.const("sizes", _`[]`);
  const start = gen.let("start");
  const valid = gen.name("_valid");
  const schemas: readonly unknown[] = context.schema;
  schemas.forEach((_schema, index) => {
    gen.assign(start, errors);
    const branch = context.subschema({ keyword, schemaProp: index, compositeRule: true }, valid);
    gen.code(_`${sizes}.push(${errors} - ${start})`);
    gen.if(valid, () => {
      gen.code(_`${passing}++`);
      context.mergeEvaluated(branch, Name);
    });
  });
  const matched = keyword === "oneOf" ? _`${passing} === 1` : _`${passing} > 0`;
  context.setParams({ passing, sizes });
  context.result(
    matched,
    () => context.reset(),
    () => context.error(true),
  );
}
