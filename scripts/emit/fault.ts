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
    super();
    this.name = "SpecFault";
    this.place = place;
    this.problem = problem;
    this.advice = advice;
    this.message = `${this.where}\n${this.remedy}`;
  }

  get where(): string {
    const { document, pointer, position } = this.place;
    const line = position ? `:${position.line}:${position.column}` : "";
    return `${document}${line}${pointer === "" ? "" : ` #${pointer}`}`;
  }

  get remedy(): string {
    return `  ${this.problem}\n  -> ${this.advice}`;
  }
}

/** By when a person would correct them: what is wrong first decides what the rest means. */
const STAGES = ["text", "keys", "names", "operations", "schemas", "values"] as const;
type Stage = (typeof STAGES)[number];

/** All faults of a run. */
export class Faults {
  readonly #found: { fault: SpecFault; stage: number }[] = [];
  #stage: Stage = "text";

  add(fault: SpecFault): void {
    this.#found.push({ fault, stage: STAGES.indexOf(this.#stage) });
  }

  /** Returns what the check returns; undefined where it ends with a fault, or with an error that follows from an earlier fault. */
  try<T>(check: () => T, stage = this.#stage): T | undefined {
    const around = this.#stage;
    this.#stage = stage;
    try {
      return check();
    } catch (error) {
      if (error instanceof SpecFaults) for (const each of error.faults) this.add(each);
      else if (error instanceof SpecFault) this.add(error);
      else if (this.#found.length === 0) throw error;
      return undefined;
    } finally {
      this.#stage = around;
    }
  }

  /** @throws SpecFaults if there are any; `settled` gives each the place where it is written */
  end(settled: (place: Place) => Place): void {
    const all = this.#found.map(({ fault: { place, problem, advice }, stage }) => {
      return { fault: new SpecFault(settled(place), problem, advice), stage };
    });
    const kept: typeof all = [];
    for (const each of all.sort((left, right) => left.stage - right.stage))
      if (!kept.some((earlier) => follows(each, earlier))) kept.push(each);
    if (kept.length > 0) throw new SpecFaults(kept.map(({ fault }) => fault));
  }
}

type Found = { readonly fault: SpecFault; readonly stage: number };

const isBelow = (pointer: string, above: string): boolean => `${pointer}/`.startsWith(`${above}/`);

/** Below what is at fault nothing can be said, and a key that is not read is missing in what holds it. */
function follows({ fault, stage }: Found, earlier: Found): boolean {
  const [{ place, problem }, { place: first }] = [fault, earlier.fault];
  if (place.document !== first.document) return false;
  if (stage === earlier.stage) return place.pointer === first.pointer && problem === earlier.fault.problem;
  const holder = (pointer: string) => pointer.slice(0, Math.max(0, pointer.lastIndexOf("/")));
  const isOfValue = stage === STAGES.indexOf("values") && isBelow(first.pointer, holder(place.pointer));
  return isOfValue || isBelow(place.pointer, first.pointer) || place.pointer === holder(first.pointer);
}

/** Several faults: those of one kind together, each with its place. */
export class SpecFaults extends SpecFault {
  readonly faults: readonly SpecFault[];

  constructor(faults: readonly SpecFault[]) {
    const [{ place, problem, advice }] = faults as [SpecFault];
    super(place, problem, advice);
    const kinds = Map.groupBy(faults, (each) => each.remedy);
    this.message = [...kinds]
      .map(([text, ofKind]) => [...ofKind.map(({ where }) => where), text].join("\n"))
      .join("\n");
    this.faults = faults;
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

/** Refuses each item whose key an earlier one has. */
export function refuseRepeated<T>(
  faults: Faults,
  items: readonly T[],
  keyOf: (item: T) => string,
  faultOf: (item: T, earlier: T) => [place: Place, problem: string, advice: string],
): void {
  const seen = new Map<string, T>();
  for (const item of items) {
    const earlier = seen.get(keyOf(item));
    if (earlier === undefined) seen.set(keyOf(item), item);
    else faults.add(new SpecFault(...faultOf(item, earlier)));
  }
}
