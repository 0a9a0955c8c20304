import { compiler, validatorFor } from "./ajv/compile.ts";
import type { SpecDocument } from "./bundle.ts";
import { schemasOf } from "./check.ts";
import { at, ensure, type Faults, type Place } from "./fault.ts";
import { EVENT_STREAM } from "./openapi/content.ts";
import type { Operation } from "./openapi/paths.ts";
import { isFree, isRecord, isSchema, recordOf, type Schema, walkSchema } from "./schema.ts";

/** Refuses a default or an example that its schema refuses: a reader who sends it is refused. */
export function checkExamples(
  document: SpecDocument,
  operations: readonly Operation[],
  faults: Faults,
): void {
  const ajv = compiler(document.schemas, "fast");
  const check = (schema: Schema, values: readonly (readonly [place: Place, value: unknown])[]): void => {
    if (values.length === 0) return;
    const isValid = faults.try(() => validatorFor(ajv, schema));
    for (const [place, value] of values)
      faults.try(() => {
        const problem = "the schema refuses its own example or default";
        ensure(!isValid || isValid(value), place, problem, "correct one of the two");
      });
  };
  for (const { schema, place } of schemasOf(document, operations))
    walkSchema(schema, place, (each, where) => check(each, valuesOf(each, where)));
  const follow = (part: unknown, place: Place): void => {
    if (!isRecord(part) && !Array.isArray(part)) return;
    const { schema } = recordOf(part);
    // Of a stream, the example is its text.
    const isStream = place.pointer.endsWith(EVENT_STREAM.replace("/", "~1"));
    if (isSchema(schema) && !isStream) check(schema, valuesOf(recordOf(part), place));
    const holder = place.pointer.slice(place.pointer.lastIndexOf("/") + 1);
    for (const [key, below] of Object.entries(part))
      if (key !== "schema" && !isFree(key, holder)) follow(below, at(place, key));
  };
  follow(document.root, { document: document.file, pointer: "" });
}

/** Examples are a list in a schema, and named elsewhere. */
function valuesOf(holder: Readonly<Record<string, unknown>>, place: Place): [place: Place, value: unknown][] {
  const { examples = {} } = holder;
  const own = ["default", "example"].filter((key) => key in holder);
  const listed = Object.entries(examples as object).flatMap(([key, each]): [Place, unknown][] => {
    if (Array.isArray(examples)) return [[at(place, "examples", key), each]];
    const named = recordOf(each);
    return "value" in named ? [[at(place, "examples", key, "value"), named.value]] : [];
  });
  return [...own.map((key): [Place, unknown] => [at(place, key), holder[key]]), ...listed];
}
