import { dirname, resolve as resolvePath } from "node:path";
import { at, type Place, SpecFault } from "./fault.ts";
import type { YamlFiles } from "./files.ts";
import { pointerSteps, valueAt } from "./reference.ts";

/** A value together with the file whose relative references it uses. */
export interface Located {
  readonly value: unknown;
  readonly path: string;
  readonly place: Place;
}

/** Returns the target of a reference: of FILE#/NAME, or of #/... in the same file. */
export function resolve(reference: string, from: Located, files: YamlFiles): Located {
  const [file = "", pointer = ""] = reference.split("#");
  if (/^[a-z][a-z0-9+.-]*:/i.test(file)) {
    throw new SpecFault(
      from.place,
      `${reference} lies outside the spec folder`,
      "copy it into spec/ and refer to that",
    );
  }
  const path = file === "" ? from.path : resolvePath(dirname(from.path), decoded(file, from));
  const root = files.read(path, from.place);
  const document = files.display(path);
  const steps = pointerSteps(decoded(pointer, from));
  const value = valueAt(root, steps);
  if (value === undefined || steps.length === 0) {
    throw new SpecFault(
      from.place,
      `the reference ${reference} leads nowhere`,
      `correct it: FILE#/NAME, or #/...`,
    );
  }
  return { value, path, place: at({ document, pointer: "" }, ...steps) };
}

/** A reference is a URI: other characters than those of URIs are written with a percent sign. */
function decoded(text: string, { place }: Located): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SpecFault(place, `the reference ${text} is no URI`, "write %25 for a percent sign");
  }
}
