import { type Ajv, compiler, validatorFor } from "../ajv/compile.ts";
import type { SpecDocument } from "../bundle.ts";
import { schemasOf } from "../check.ts";
import { at, type Faults, type Place, SpecFault } from "../fault.ts";
import type { Operation } from "../openapi/paths.ts";
import { onlyReference, type Schema, type SchemaObject, walkSchema } from "../schema.ts";
import { instances } from "./instances.ts";

/** The number of values to try for two branches; far more than the largest pair has. */
const MAX_TRIES = 20_000;

/** A `oneOf` whose branches must not share a value, and the keywords beside it. */
interface Choice {
  readonly branches: readonly Schema[];
  readonly beside: SchemaObject;
  readonly place: Place;
}

/**
 * Refuses a document in which one value can match two branches of a `oneOf`: types would accept the value and the validators would not.
 * Each refusal shows such a value. Without one, none could be constructed.
 */
export function refuseOverlaps(
  document: SpecDocument,
  operations: readonly Operation[],
  faults: Faults,
): void {
  const choices: Choice[] = [];
  for (const { schema, place } of schemasOf(document, operations)) {
    walkSchema(schema, place, ({ oneOf, ...beside }, where) => {
      if (oneOf !== undefined) choices.push({ branches: oneOf, beside, place: at(where, "oneOf") });
    });
  }
  if (choices.length === 0) return;
  const ajv = compiler(document.schemas, "fast");
  for (const choice of choices) faults.try(() => refuseChoice(choice, document, ajv));
}

function refuseChoice({ branches, beside, place }: Choice, document: SpecDocument, ajv: Ajv): void {
  const accepts = branches.map((branch) => validatorFor(ajv, branch));
  const allowed = validatorFor(ajv, beside);
  for (const [second, right] of branches.entries()) {
    for (const [first, left] of branches.slice(0, second).entries()) {
      const names = `${branchName(left, first)} and ${branchName(right, second)}`;
      for (const value of attempts(left, right, beside, document)) {
        if (!accepts[first]?.(value) || !accepts[second]?.(value) || !allowed(value)) continue;
        const problem = `the branches ${names} both accept ${JSON.stringify(value)}`;
        const advice = "give each branch a 'const' tag, or forbid a member of the other (name: false)";
        throw new SpecFault(place, problem, advice);
      }
    }
  }
}

function* attempts(
  left: Schema,
  right: Schema,
  beside: SchemaObject,
  { schemas }: SpecDocument,
): Generator<unknown> {
  for (const together of [
    [left, right, beside],
    [left, beside],
    [right, beside],
  ]) {
    let tries = 0;
    for (const value of instances(together, schemas)) {
      if (tries++ >= MAX_TRIES) break;
      yield value;
    }
  }
}

function branchName(branch: Schema, index: number): string {
  const name = onlyReference(branch);
  return name === undefined ? `${index}` : `${index} (${name})`;
}
