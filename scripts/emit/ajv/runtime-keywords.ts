import { _, type CodeKeywordDefinition } from "ajv";
import { isUnique } from "../../../src/runtime/equal.ts";
import { isMultiple } from "../../../src/runtime/multiple.ts";

/** `uniqueItems` in linear time. Ajv compares each item with every other one. */
export const UNIQUE_ITEMS: CodeKeywordDefinition = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  error: { message: "uniqueItems", params: _`{}` },
  code(context) {
    if (context.schema === false) return;
    const unique = context.gen.scopeValue("func", { ref: isUnique, code: _`isUnique` });
    context.pass(_`${unique}(${context.data})`);
  },
};

/** `multipleOf` of the decimal numbers as they are written. Ajv divides, by which 19.99 is no multiple of 0.01. */
export const MULTIPLE_OF: CodeKeywordDefinition = {
  keyword: "multipleOf",
  type: "number",
  schemaType: "number",
  error: { message: "multipleOf", params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
  code(context) {
    const multiple = context.gen.scopeValue("func", { ref: isMultiple, code: _`isMultiple` });
    context.pass(_`${multiple}(${context.data}, ${context.schemaCode})`);
  },
};
