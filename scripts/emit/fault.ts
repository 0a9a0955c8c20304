/** A place in the spec folder: a file and a JSON pointer (RFC 6901) into it. */
export interface Place {
  readonly document: string;
  readonly pointer: string;
}

/**
 * A mistake in a document under `spec/`. The message names the document, the place and the fix, so the
 * command line prints it unchanged, without a stack.
 */
export class SpecFault extends Error {
  readonly place: Place;

  constructor(place: Place, problem: string, advice: string) {
    super(
      `${place.document}${place.pointer === "" ? "" : `#${place.pointer}`}\n  ${problem}\n  -> ${advice}`,
    );
    this.name = "SpecFault";
    this.place = place;
  }
}

/** Returns one step of a JSON pointer, escaped (RFC 6901, section 3). */
export function pointerStep(step: string | number): string {
  return `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function at(place: Place, ...steps: readonly (string | number)[]): Place {
  return { document: place.document, pointer: place.pointer + steps.map(pointerStep).join("") };
}
