import type { FieldError } from "../../runtime/validator.ts";
import type { Code } from "../codes/codes.ts";
import { type Found, found } from "../finding.ts";
import type { Reply } from "../target.ts";
import { type FieldFault, faultOf } from "./field-words.ts";

const MOST_PLACES = 6;

/** One finding for all fields; entries of a list are one place, so that two runs find the same. */
export function fieldFaults(code: Code, exchange: Reply, errors: readonly FieldError[]): Found[] {
  const all = errors.map((error) => faultOf(exchange.answer.json, error));
  const faults = [...Map.groupBy(all, ({ path }) => path).values()].flatMap((each) => each.slice(0, 1));
  if (faults.length === 0) return [];
  const fix = faults.find((fault) => fault.fix !== undefined)?.fix;
  const isMissing = ({ actual }: FieldFault) => actual === "is missing";
  const expected = [
    ...new Set(faults.map((each) => (isMissing(each) ? each.expected : `${each.path}: ${each.expected}`))),
  ];
  const actual = faults.map((each) =>
    isMissing(each) ? `${each.path} is missing` : `${each.path}: ${each.actual}`,
  );
  return [
    found(code, {
      ...{
        exchange,
        expected: listed(expected),
        actual: listed(actual),
        cause: faults.map((each) => `${each.path} ${each.expected}`).join(),
      },
      ...(fix !== undefined && { fix }),
    }),
  ];
}

function listed(texts: readonly string[]): string {
  const more = texts.length > MOST_PLACES ? [`and ${texts.length - MOST_PLACES} more`] : [];
  return [...texts.slice(0, MOST_PLACES), ...more].join("; ");
}
