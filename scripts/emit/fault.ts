/** A place in the spec folder: a file and a JSON pointer (RFC 6901) into it. */
export interface Place {
  readonly document: string;
  readonly pointer: string;
  readonly position?: Position;
}

/** Where a place is in the text of its file, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * A mistake in a document under `spec/`. The message names the document, the line and column, the place and the fix, so the
 * command line prints it unchanged, without a stack.
 */
export class SpecFault extends Error {
  readonly place: Place;
  readonly problem: string;
  readonly advice: string;

  constructor(place: Place, problem: string, advice: string) {
    const { document, pointer, position } = place;
    const where = position ? `:${position.line}:${position.column}` : "";
    super(`${document}${where}${pointer === "" ? "" : ` #${pointer}`}\n  ${problem}\n  -> ${advice}`);
    this.name = "SpecFault";
    this.place = place;
    this.problem = problem;
    this.advice = advice;
  }
}

/** @throws SpecFault unless the condition holds */
export function ensure(holds: boolean, place: Place, problem: string, advice: string): asserts holds {
  if (!holds) throw new SpecFault(place, problem, advice);
}

/** Returns one step of a JSON pointer, escaped (RFC 6901, section 3). */
export function pointerStep(step: string | number): string {
  return `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** Returns the steps of a JSON pointer. */
export function pointerSteps(pointer: string): string[] {
  const steps = pointer.split("/").slice(1);
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function at(place: Place, ...steps: readonly (string | number)[]): Place {
  return { document: place.document, pointer: place.pointer + steps.map(pointerStep).join("") };
}

/** Refuses an item whose key an earlier one has. */
export function refuseRepeated<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  faultOf: (item: T, earlier: T) => [place: Place, problem: string, advice: string],
): void {
  const seen = new Map<string, T>();
  for (const item of items) {
    const earlier = seen.get(keyOf(item));
    if (earlier !== undefined) throw new SpecFault(...faultOf(item, earlier));
    seen.set(keyOf(item), item);
  }
}
