import { _, type CodeKeywordDefinition } from "ajv";
import { isUnique } from "../../../src/runtime/equal.ts";

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
