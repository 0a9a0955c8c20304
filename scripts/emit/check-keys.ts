import { checkKeywords } from "./ajv/keywords.ts";
import { at, ensure, type Faults, type Place, pointerSteps, SpecFault } from "./fault.ts";
import type { DocumentFile, YamlFiles } from "./files.ts";
import { ASYNCAPI, type Known, type KnownKeys, OPENAPI, REFERENCE } from "./known-keys.ts";
import { type Located, resolve } from "./located.ts";
import { nearest } from "./nearest.ts";
import { COMPLETES, isExtension, isRecord, isSchema, recordOf } from "./schema.ts";

const VERSIONS = { openapi: ["OpenAPI", "3.1"], asyncapi: ["AsyncAPI", "3.0"] } as const;

/** Returns whether a document has the version that the generator reads: in another one, other keys are right. */
export function isOfVersion({ kind, path }: DocumentFile, files: YamlFiles, faults: Faults): boolean {
  const isKnown = faults.try(() => {
    const { [kind]: version } = files.read(path);
    const [standard, known] = VERSIONS[kind];
    const place = { document: files.display(path), pointer: `/${kind}` };
    const problem = `version ${version} is not supported`;
    ensure(String(version).startsWith(known), place, problem, `write ${standard} ${known}`);
    return true;
  });
  return isKnown === true;
}

/** Refuses every key of a document that the generator does not understand, and would drop. Names of the author's own are left alone, and `x-` keys. */
export function checkKeys({ kind, path }: DocumentFile, files: YamlFiles, faults: Faults): void {
  const objects = kind === "openapi" ? OPENAPI : ASYNCAPI;
  const seen = new Set<string>();

  /** `passed`: the references that led here, one to the other. */
  const checkObject = (name: string, from: Located, passed: readonly unknown[] = []): void => {
    const { value, place } = from;
    ensure(!passed.includes(value), place, "the references run in a circle", "break the circle");
    ensure(isRecord(value), place, `a mapping is expected here, for the ${name}`, "correct it");
    const mark = `${name} ${place.document}#${place.pointer}`;
    if (seen.has(mark)) return;
    seen.add(mark);
    if (typeof value.$ref === "string") {
      checkEach(REFERENCE, from);
      checkObject(name, resolve(value.$ref, from, files), [...passed, value]);
      // A requirement has the names of security schemes.
    } else if (name !== "requirement") checkEach(objects[name] ?? {}, from);
  };

  const checkEach = (known: KnownKeys, from: Located): void => {
    const { value, place } = from;
    for (const [key, below] of Object.entries(recordOf(value))) {
      if (key.startsWith("x-")) continue;
      faults.try(() =>
        checkValue(knownAs(key, known, place), { ...from, value: below, place: at(place, key) }),
      );
    }
  };

  const checkValue = (known: Known, from: Located): void => {
    const { value, place } = from;
    if (known === "any") return;
    if (known === "schema") {
      ensure(isSchema(value), place, "there is no schema here", "write a mapping or true or false");
      faults.try(() => checkKeywords(value, place, faults), "schemas");
      return;
    }
    if ("unsupported" in known) {
      const problem = `"${pointerSteps(place.pointer).at(-1)}" is not supported here`;
      throw new SpecFault(place, problem, known.unsupported);
    }
    if ("one" in known) {
      checkObject(known.one, from);
      return;
    }
    const [name, kind] = "list" in known ? [known.list, "list"] : [known.named, "mapping"];
    const isOfKind = "list" in known ? Array.isArray(value) : isRecord(value);
    ensure(isOfKind, place, `a ${kind} is expected here`, "correct it");
    for (const [key, item] of Object.entries(value as object)) {
      if ("named" in known && isExtension(key, pointerSteps(place.pointer).at(-1))) continue;
      const below = { ...from, value: item, place: at(place, key) };
      const schema = () => checkValue("schema", { ...below, value: withoutLink(item) });
      faults.try(() => (name === "schema" ? schema() : checkObject(name, below)));
    }
  };

  const value = files.read(path);
  faults.try(
    () => checkObject("document", { value, path, place: { document: files.display(path), pointer: "" } }),
    "keys",
  );
}

/** Only a named schema may complete another one. */
function withoutLink(schema: unknown): unknown {
  const { [COMPLETES]: _link, ...rest } = isRecord(schema) ? schema : {};
  return isRecord(schema) ? rest : schema;
}

function knownAs(key: string, known: KnownKeys, place: Place): Known {
  if (Object.hasOwn(known, key)) return known[key] ?? "any";
  const word = nearest(key, Object.keys(known));
  const all = Object.keys(known).join(", ");
  const advice = word === undefined ? `use one of ${all}, or begin it with x-` : `write "${word}"`;
  throw new SpecFault(at(place, key), `the key "${key}" is not known here`, advice);
}
