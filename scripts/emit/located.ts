import { dirname, resolve as resolvePath } from "node:path";
import { at, ensure, type Place, pointerSteps, SpecFault } from "./fault.ts";
import type { YamlFiles } from "./files.ts";
import { isRecord } from "./schema.ts";

/** A value together with the file whose relative references it uses. */
export interface Located {
  readonly value: unknown;
  readonly path: string;
  readonly place: Place;
}

/** Returns the target of a reference: of FILE#/NAME, or of #/... in the same file. */
export function resolve(reference: string, from: Located, files: YamlFiles): Located {
  const [file = "", pointer = ""] = reference.split("#");
  const isOutside = /^[a-z][a-z0-9+.-]*:/i.test(file);
  const advice = "copy it into spec/ and refer to that";
  ensure(!isOutside, from.place, `${reference} lies outside the spec folder`, advice);
  const path = file === "" ? from.path : resolvePath(dirname(from.path), decoded(file, from));
  const root = files.read(path, from.place);
  const document = files.display(path);
  const steps = pointerSteps(decoded(pointer, from));
  const value = valueAt(root, steps);
  const isFound = value !== undefined && steps.length > 0;
  ensure(isFound, from.place, `the reference ${reference} leads nowhere`, "correct it: FILE#/NAME, or #/...");
  return { value, path, place: at({ document, pointer: "" }, ...steps) };
}

/** A reference is a URI: other characters than those of URIs are written with a percent sign. */
function decoded(text: string, { place }: Located): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new SpecFault(place, `the reference ${text} is not a URI`, "write %25 for a percent sign");
  }
}

/** Returns the target of a pointer; undefined if it leads nowhere. */
export function valueAt(root: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((node, step) => {
    if (Array.isArray(node)) return node[Number(step)];
    return isRecord(node) && Object.hasOwn(node, step) ? node[step] : undefined;
  }, root);
}
