import { compiler, validatorFor } from "./ajv/compile.ts";
import { checkKeywords } from "./ajv/keywords.ts";
import type { SpecDocument } from "./bundle.ts";
import { at, ensure, type Faults, type Place, pointerSteps, SpecFault } from "./fault.ts";
import type { DocumentFile, YamlFiles } from "./files.ts";
import { ASYNCAPI, type Known, type KnownKeys, OPENAPI, REFERENCE } from "./known-keys.ts";
import { type Located, resolve } from "./located.ts";
import { nearest } from "./messages.ts";
import { EVENT_STREAM } from "./openapi/parameters.ts";
import { inlineSchemas, type Operation } from "./openapi/paths.ts";
import {
  COMPLETES,
  isExtension,
  isFree,
  isRecord,
  isSchema,
  mapSubschemas,
  type NamedSchemas,
  recordOf,
  referredName,
  type Schema,
  type SchemaObject,
  walkSchema,
} from "./schema.ts";

export interface PlacedSchema {
  readonly schema: Schema;
  readonly place: Place;
}

/** Returns every schema of a document: the named ones in their files, and those inside operations. */
export function schemasOf(document: SpecDocument, operations: readonly Operation[]): PlacedSchema[] {
  const named = Object.entries(document.schemas).map(([name, schema]) => ({
    schema,
    place: document.origins.get(name) ?? { document: document.file, pointer: `/components/schemas/${name}` },
  }));
  return [...named, ...operations.flatMap(inlineSchemas)];
}

/** Returns whether no schema runs in a circle: nothing that follows references would end. */
export function areFinite(document: SpecDocument, faults: Faults): boolean {
  const circles = schemasOf(document, []).map(({ schema, place }) =>
    faults.try(() => typeof schema === "boolean" || refuseCircle(schema, place, document.schemas)),
  );
  return !circles.includes(undefined);
}

export function checkSchemas(document: SpecDocument, operations: readonly Operation[], faults: Faults): void {
  for (const { schema, place } of schemasOf(document, operations)) {
    checkKeywords(schema, place, faults);
    walkSchema(schema, place, (each, where) =>
      faults.try(() => checkUnevaluated(each, where, document.schemas)),
    );
    checkRequired(schema, place, document.schemas, faults, []);
  }
}

/** Refuses a required member that nothing declares: its type would be unknown, and most are misspelt. */
function checkRequired(
  schema: Schema,
  place: Place,
  named: NamedSchemas,
  faults: Faults,
  around: readonly SchemaObject[],
): void {
  if (typeof schema === "boolean") return;
  const applied = [...around, schema, ...appliedIn(schema, named)];
  const names = applied.flatMap(({ properties = {} }) => Object.keys(properties));
  const isOpen = (part: SchemaObject) =>
    "patternProperties" in part ||
    isRecord(part.additionalProperties) ||
    isRecord(part.unevaluatedProperties);
  const isObject = schema.properties !== undefined || schema.type === "object";
  const missing = isObject && !applied.some(isOpen) ? (schema.required ?? []) : [];
  for (const name of missing.filter((each) => !names.includes(each))) {
    const word = nearest(name, names);
    const advice =
      word === undefined ? "add it to 'properties'" : `write "${word}", or add it to 'properties'`;
    faults.add(new SpecFault(at(place, "required"), `"${name}" is required, and no property`, advice));
  }
  mapSubschemas(schema, (below, steps) => {
    const isSame = SAME_VALUE.includes(String(steps[0]));
    if (steps[0] !== "not") checkRequired(below, at(place, ...steps), named, faults, isSame ? applied : []);
    return below;
  });
}

const SAME_VALUE = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"];

/** Refuses a schema that applies itself to the same value: no value could be checked in finite time. */
function refuseCircle(schema: SchemaObject, place: Place, named: NamedSchemas): true {
  const seen = new Set<SchemaObject>();
  const follow = (each: SchemaObject): void => {
    for (const part of partsOf(each, named)) {
      const problem = "the schema applies itself to the same value";
      ensure(part !== schema, place, problem, "break the circle");
      if (!seen.has(part)) follow(seen.add(part) && part);
    }
  };
  follow(schema);
  return true;
}

/** What Ajv does not keep account of. */
const UNCOUNTED = ["if", "contains", "items"];

function checkUnevaluated(schema: SchemaObject, place: Place, named: NamedSchemas): void {
  if (schema.unevaluatedItems === undefined) return;
  const applied = appliedIn(schema, named);
  // `items` in the schema itself leaves nothing over.
  const word = UNCOUNTED.find((each) =>
    (each === "items" ? applied : [schema, ...applied]).some((part) => part[each] !== undefined),
  );
  const problem = `"unevaluatedItems" is not supported beside "${word}"`;
  ensure(word === undefined, at(place, "unevaluatedItems"), problem, "write the items out");
}

/** Returns the schemas that apply to the same value. */
const appliedIn = (schema: SchemaObject, named: NamedSchemas): SchemaObject[] =>
  partsOf(schema, named).flatMap((part) => [part, ...appliedIn(part, named)]);

function partsOf(schema: SchemaObject, named: NamedSchemas): SchemaObject[] {
  const { $ref, allOf = [], anyOf = [], oneOf = [], dependentSchemas = {} } = schema;
  const target = $ref === undefined ? [] : [named[referredName($ref) ?? ""]];
  const others = [schema.if, schema.then, schema.else, schema.not, ...Object.values(dependentSchemas)];
  return [...target, ...allOf, ...anyOf, ...oneOf, ...others].filter(
    (part): part is SchemaObject => isSchema(part) && typeof part === "object",
  );
}

/** Refuses a default or an example that its schema refuses: a reader who sends it is refused. */
export function checkExamples(
  document: SpecDocument,
  operations: readonly Operation[],
  faults: Faults,
): void {
  const ajv = compiler(document.schemas, "fast");
  const check = (schema: Schema, values: readonly (readonly [place: Place, value: unknown])[]): void => {
    if (values.length === 0) return;
    const isValid = faults.try(() => validatorFor(ajv, schema));
    for (const [place, value] of values)
      faults.try(() => {
        const problem = "the schema refuses its own example or default";
        ensure(!isValid || isValid(value), place, problem, "correct one of the two");
      });
  };
  for (const { schema, place } of schemasOf(document, operations))
    walkSchema(schema, place, (each, where) => check(each, valuesOf(each, where)));
  const follow = (part: unknown, place: Place): void => {
    if (!isRecord(part) && !Array.isArray(part)) return;
    const { schema } = recordOf(part);
    // Of a stream, the example is its text.
    const isStream = place.pointer.endsWith(EVENT_STREAM.replace("/", "~1"));
    if (isSchema(schema) && !isStream) check(schema, valuesOf(recordOf(part), place));
    const holder = place.pointer.slice(place.pointer.lastIndexOf("/") + 1);
    for (const [key, below] of Object.entries(part))
      if (key !== "schema" && !isFree(key, holder)) follow(below, at(place, key));
  };
  follow(document.root, { document: document.file, pointer: "" });
}

/** Examples are a list in a schema, and named elsewhere. */
function valuesOf(holder: Readonly<Record<string, unknown>>, place: Place): [place: Place, value: unknown][] {
  const { examples = {} } = holder;
  const own = ["default", "example"].filter((key) => key in holder);
  const listed = Object.entries(examples as object).flatMap(([key, each]): [Place, unknown][] => {
    if (Array.isArray(examples)) return [[at(place, "examples", key), each]];
    const named = recordOf(each);
    return "value" in named ? [[at(place, "examples", key, "value"), named.value]] : [];
  });
  return [...own.map((key): [Place, unknown] => [at(place, key), holder[key]]), ...listed];
}

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
