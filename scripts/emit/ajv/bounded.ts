import { _, type CodeKeywordDefinition } from "ajv";
import contains from "ajv/dist/vocabularies/applicator/contains.js";
import items from "ajv/dist/vocabularies/applicator/items2020.js";
import { defaultOf } from "./interop.ts";

/**
 * Returns the code of a module that collects all errors, with bounds: a loop over the items or members of a value ends after
 * `MAX_ERRORS_OF_LIST` errors of its own, and a function returns at most `MAX_ERRORS`. The time is therefore linear in the size of the value, and whether the
 * value is valid stays exact: only a loop that has already failed ends early.
 */
export function bounded(code: string): string {
  return code
    .replaceAll(
      /for\((?:let (\w+)=\w+; \1<\w+; \1\+\+|const (\w+) in \w+)\)\{/g,
      (loop, index?: string, key?: string) => {
        const start = `start_${index ?? key}`;
        return `const ${start}=errors;${loop}if(errors-${start}>=MAX_ERRORS_OF_LIST){vErrors.push(FURTHER);errors++;break;}`;
      },
    )
    .replaceAll(/(validate\d+\.errors = )vErrors;/g, "$1bounded(vErrors);");
}

/** `items`, but a list that is too long is not read. */
export const ITEMS = unlessTooLong(defaultOf(items) as CodeKeywordDefinition);

function unlessTooLong(definition: CodeKeywordDefinition): CodeKeywordDefinition {
  return {
    ...definition,
    code(context, ruleType) {
      const { gen, data, parentSchema } = context;
      if (parentSchema.maxItems === undefined) definition.code(context, ruleType);
      else gen.if(_`${data}.length <= ${parentSchema.maxItems}`, () => definition.code(context, ruleType));
    },
  };
}

/** `contains` without the errors of the items that do not match: these must not count, because another item may match. */
export const CONTAINS = quiet(defaultOf(contains) as CodeKeywordDefinition);

function quiet(definition: CodeKeywordDefinition): CodeKeywordDefinition {
  return {
    ...definition,
    code(context, ruleType) {
      const subschema = context.subschema.bind(context);
      context.subschema = (applied, valid) => {
        const item = subschema({ ...applied, createErrors: false, allErrors: false }, valid);
        context.reset();
        return item;
      };
      definition.code(context, ruleType);
    },
  };
}
