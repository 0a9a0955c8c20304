import { _, type CodeKeywordDefinition, type KeywordCxt, Name } from "ajv";
import names from "ajv/dist/compile/names.js";
import contains from "ajv/dist/vocabularies/applicator/contains.js";
import items from "ajv/dist/vocabularies/applicator/items2020.js";
import { isUnique } from "../../../src/runtime/equal.ts";
import { isMultiple } from "../../../src/runtime/multiple.ts";

/**
 * Returns the default export of one of Ajv's CommonJS modules. Node returns the whole module under `default`, some
 * loaders its default export.
 */
export function defaultOf<T extends object>(module: { default: T }): T {
  return "default" in module ? module.default : module;
}

const { errors, vErrors } = defaultOf(names);

/**
 * `{ "quietly": schema }` equals `schema`, except that the compiled code creates no error objects: smaller and faster.
 * Ajv has this only inside keywords such as `not`, and no option for it.
 */
export const QUIETLY: CodeKeywordDefinition = {
  keyword: "quietly",
  schemaType: ["object", "boolean"],
  code(context) {
    const valid = context.gen.name("valid");
    const within = context.subschema({ keyword: "quietly", createErrors: false, allErrors: false }, valid);
    context.ok(valid);
    context.mergeEvaluated(within);
  },
};

/** Returns a keyword that a function of the runtime decides, from the value and that of the keyword. */
function decidedBy(
  keyword: string,
  type: "array" | "number",
  decides: { name: string },
): CodeKeywordDefinition {
  return {
    keyword,
    type,
    error: { message: keyword, params: ({ schemaCode }) => _`{${new Name(keyword)}: ${schemaCode}}` },
    code(context) {
      if (context.schema === false) return;
      const decide = context.gen.scopeValue("func", { ref: decides, code: _`${new Name(decides.name)}` });
      context.pass(_`${decide}(${context.data}, ${context.schemaCode})`);
    },
  };
}

/** `uniqueItems` in linear time. Ajv compares each item with every other one. */
export const UNIQUE_ITEMS = decidedBy("uniqueItems", "array", isUnique);

/** `multipleOf` of the decimal numbers as they are written. Ajv divides, by which 19.99 is not a multiple of 0.01. */
export const MULTIPLE_OF = decidedBy("multipleOf", "number", isMultiple);

const ITEMS_OF_AJV = defaultOf(items) as CodeKeywordDefinition;

/** `items`, but a list that is too long is not read. */
export const ITEMS: CodeKeywordDefinition = {
  ...ITEMS_OF_AJV,
  before: "unevaluatedItems",
  code(context, ruleType) {
    const { gen, data, parentSchema } = context;
    const read = () => ITEMS_OF_AJV.code(context, ruleType);
    if (parentSchema.maxItems === undefined) read();
    else gen.if(_`${data}.length <= ${parentSchema.maxItems}`, read);
  },
};

/** `contains`, before `prefixItems`: in the fast form Ajv skips for an empty list what follows those. */
export const CONTAINS: CodeKeywordDefinition = {
  ...(defaultOf(contains) as CodeKeywordDefinition),
  before: "prefixItems",
};

/** `contains` without the errors of the items that do not match: these must not count, because another item may match. */
export const CONTAINS_OF_ALL: CodeKeywordDefinition = {
  ...CONTAINS,
  code(context, ruleType) {
    const subschema = context.subschema.bind(context);
    context.subschema = (applied, valid) => {
      const item = subschema({ ...applied, createErrors: false, allErrors: false }, valid);
      context.reset();
      return item;
    };
    CONTAINS.code(context, ruleType);
  },
};

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
