import type { CodeKeywordDefinition } from "ajv";

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
