import { dirname, resolve as resolvePath } from "node:path";
import { at, ensure, type Place, pointerSteps, SpecFault } from "./fault.ts";
import type { YamlFiles } from "./files.ts";
import { isRecord, recordOf, referredName } from "./schema.ts";

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

/** Returns the place where what is at a place is written: references on the way are followed. */
export function written(place: Place, files: YamlFiles): Place {
  if (place.position !== undefined || place.pointer === "") return place;
  const path = files.pathOf(place.document);
  let from: Located = { value: files.read(path), path, place: { ...place, pointer: "" } };
  const follow = (): Located => {
    const { $ref } = recordOf(from.value);
    return typeof $ref === "string" ? resolve($ref, from, files) : from;
  };
  for (const step of pointerSteps(place.pointer)) {
    if (step !== "$ref") from = follow();
    from = { ...from, value: valueAt(from.value, [step]), place: at(from.place, step) };
  }
  // A schema may be wrong only for the place that refers to it.
  return referredName(String(recordOf(from.value).$ref)) === undefined ? follow().place : from.place;
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
