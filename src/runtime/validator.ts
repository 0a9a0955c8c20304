import { escapeStep } from "./pointer.ts";

/**
 * One fault of a value: its place, and what is expected there. The message never holds the value,
 * because values may be personal data.
 */
export interface FieldError {
  /** RFC 6901 JSON pointer; a missing member points at the place where it should be. */
  pointer: string;
  message: string;
}

/**
 * Returns whether a value is a T; `errorsOf` returns, at some more cost, its faults: the first `MAX_ERRORS`, and after them one that
 * mentions that there may be more. Both take time linear in the size of the value.
 */
export interface Validator<T> {
  (value: unknown): value is T;
  errorsOf(value: unknown): FieldError[];
}

/** What the compiled functions report. */
interface Violation {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
}
interface Compiled {
  (value: unknown): boolean;
  errors?: readonly Violation[] | null;
  errorsOf?: (value: unknown) => FieldError[];
}

/** The most faults of a value that are explained. */
export const MAX_ERRORS = 100;
/** The most faults in the entries of one list or map: the members beside it are explained too. */
export const MAX_ERRORS_OF_LIST = 50;

/** The last fault when others may be left out. */
export const FURTHER_ERRORS: FieldError = {
  pointer: "",
  message: "may have further errors, which are left out",
};

/** The value is refused, and no single fault explains why. */
const UNEXPLAINED: FieldError = { pointer: "", message: "does not have the expected form" };

/** In the place of the errors that are left out. */
export const FURTHER: Violation = { instancePath: "", keyword: "further", params: {} };

/** Returns the first errors of a compiled function. */
export function bounded(violations: readonly Violation[] | null): readonly Violation[] | null {
  if (violations === null || violations.length <= MAX_ERRORS) return violations;
  return [...violations.slice(0, MAX_ERRORS), FURTHER];
}

/** Joins the two compiled forms of one schema: the fast one decides, the full one explains. */
export function validator(fast: Compiled, full: Compiled): Compiled {
  fast.errorsOf = (value) => {
    // Both forms agree. Who asks has mostly seen the fast one refuse, and it takes as long again.
    if (full(value) && fast(value)) return [];
    const errors = fieldErrors(nearest(full.errors ?? []));
    return errors.length > 0 ? errors : [UNEXPLAINED];
  };
  return fast;
}

/** Replaces the error of a oneOf or anyOf by those of its nearest branch. Its params hold the errors of each branch. */
function nearest(violations: readonly Violation[]): Violation[] {
  return violations.flatMap((violation) => {
    const { branches } = violation.params;
    return Array.isArray(branches) ? explain(violation, branches.map(nearest)) : [violation];
  });
}

function explain(violation: Violation, branches: readonly Violation[][]): Violation[] {
  if (violation.params.passing !== 0) return [violation];
  if (branches.every((branch) => branch.every((each) => isMissingHere(each, violation)))) {
    return missingMembers(violation, branches);
  }
  const ranked = branches.map((branch) => ({ branch, distance: distanceOf(branch, violation) }));
  ranked.sort((left, right) => left.distance - right.distance);
  return ranked[0]?.branch ?? [violation];
}

/** Reports only the missing members: those that all branches require, and a choice of the rest. */
function missingMembers(violation: Violation, branches: readonly Violation[][]): Violation[] {
  const [first = [], ...others] = branches;
  const isShared = ({ params }: Violation): boolean =>
    others.every((branch) => branch.some((each) => each.params.missingProperty === params.missingProperty));
  const shared = first.filter(isShared);
  const names = new Set(shared.map(({ params }) => params.missingProperty));
  const rest = branches.map((branch) =>
    branch.map(({ params }) => params.missingProperty).filter((name) => !names.has(name)),
  );
  if (rest.some((missing) => missing.length === 0)) return shared;
  return [...shared, { ...violation, params: { missing: rest } }];
}

function isMissingHere(each: Violation, composite: Violation): boolean {
  return each.keyword === "required" && each.instancePath === composite.instancePath;
}

/** A wrong tag, a forbidden member or a wrong type at the top means that another branch was meant. */
function distanceOf(branch: readonly Violation[], composite: Violation): number {
  const depth = composite.instancePath.split("/").length;
  return branch.reduce((sum, { keyword, instancePath }) => {
    const below = instancePath.split("/").length - depth;
    if (keyword === "const" || keyword === "false schema" || keyword === "enum")
      return sum + (below <= 1 ? 1000 : 10);
    if (keyword === "type" && below === 0) return sum + 100_000;
    return sum + 1;
  }, 0);
}

function fieldErrors(violations: readonly Violation[]): FieldError[] {
  const errors = new Map<string, FieldError>();
  let isCut = false;
  for (const violation of violations) {
    if (violation.keyword === "if") continue;
    const isLeftOut = violation.keyword === FURTHER.keyword || errors.size === MAX_ERRORS;
    isCut ||= isLeftOut;
    if (isLeftOut) continue;
    const error = { pointer: pointerOf(violation), message: messageOf(violation) };
    errors.set(`${error.pointer} ${error.message}`, error);
  }
  const all = [...errors.values()];
  return isCut ? [...all, FURTHER_ERRORS] : all;
}

function pointerOf({ instancePath, params }: Violation): string {
  const member = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  if (typeof member !== "string") return instancePath;
  return `${instancePath}/${escapeStep(member)}`;
}

/** By keyword of JSON Schema 2020-12; every text completes "the value here ...". */
const MESSAGES: Readonly<Record<string, (params: Violation["params"]) => string>> = {
  required: () => "is missing",
  dependentRequired: ({ property }) => `is missing; it belongs to ${String(property)}`,
  additionalProperties: () => "is not a known member",
  unevaluatedProperties: () => "is not a known member",
  "false schema": () => "is not allowed here",
  type: ({ type }) => `must be of type ${Array.isArray(type) ? type.join(" or ") : String(type)}`,
  enum: ({ allowedValues }) => `must be one of ${listed(allowedValues)}`,
  const: ({ allowedValue }) => `must be ${JSON.stringify(allowedValue)}`,
  format: ({ format }) => `must be a valid ${String(format)}`,
  pattern: ({ pattern }) => `must match ${String(pattern)}`,
  minLength: ({ limit }) => `must have at least ${counted(limit, "character")}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, "character")}`,
  minItems: ({ limit }) => `must have at least ${counted(limit, "item")}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, "item")}`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, "member")}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, "member")}`,
  minimum: ({ limit }) => `must be at least ${String(limit)}`,
  maximum: ({ limit }) => `must be at most ${String(limit)}`,
  exclusiveMinimum: ({ limit }) => `must be more than ${String(limit)}`,
  exclusiveMaximum: ({ limit }) => `must be less than ${String(limit)}`,
  multipleOf: ({ multipleOf }) => `must be a multiple of ${String(multipleOf)}`,
  uniqueItems: () => "must not hold the same item twice",
  not: () => "must not have this form",
  anyOf: ({ missing }) =>
    Array.isArray(missing) ? missingText(missing) : "matches none of the allowed forms",
  oneOf: ({ missing }) =>
    Array.isArray(missing) ? missingText(missing) : "matches more than one of the exclusive forms",
};

function messageOf({ keyword, params }: Violation): string {
  return MESSAGES[keyword]?.(params) ?? `does not satisfy ${keyword}`;
}

function missingText(missing: readonly unknown[]): string {
  const choices = missing.map((names) => (Array.isArray(names) ? names.join(" and ") : String(names)));
  return `must have ${choices.join(", or ")}`;
}

function listed(values: unknown): string {
  return Array.isArray(values)
    ? values.map((value) => JSON.stringify(value)).join(", ")
    : "the listed values";
}

function counted(limit: unknown, what: string): string {
  return `${String(limit)} ${what}${limit === 1 ? "" : "s"}`;
}
