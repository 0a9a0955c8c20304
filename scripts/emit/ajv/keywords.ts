import { Ajv2020 } from "ajv/dist/2020.js";
import { at, ensure, type Faults, type Place, SpecFault } from "../fault.ts";
import { FORMATS, isLinear } from "../formats.ts";
import { nearest } from "../messages.ts";
import { hasType } from "../overlap/instances.ts";
import {
  ANNOTATIONS,
  all,
  COMPLETES,
  isAnnotation,
  KEYWORDS,
  recordOf,
  type Schema,
  type SchemaObject,
  walkSchema,
} from "../schema.ts";

/** Keywords that the generated code would not heed, and what to write instead. */
export const UNSUPPORTED: Readonly<Record<string, string>> = {
  readOnly: "name two schemas, of requests and of responses",
  writeOnly: "name two schemas, of requests and of responses",
  discriminator: "give each variant a property with another const",
  nullable: 'write type: [string, "null"]',
  xml: "use JSON",
  [COMPLETES]: "write it directly in a named schema",
};

const metaSchema = new Ajv2020({ strict: false, logger: false, allErrors: true });

/** Refuses, by name and place, keywords that would otherwise be ignored or fail inside Ajv, and values that they cannot have. */
export function checkKeywords(schema: Schema, place: Place, faults: Faults): void {
  metaSchema.validateSchema(schema);
  const errors = new Map((metaSchema.errors ?? []).toReversed().map((each) => [each.instancePath, each]));
  for (const [path, { message, params }] of [...errors].toReversed()) {
    const allowed = params.allowedValues ?? params.type;
    const advice =
      allowed === undefined ? "correct it (JSON Schema 2020-12)" : `write ${[allowed].flat().join(", ")}`;
    faults.add(new SpecFault({ ...place, pointer: place.pointer + path }, `this ${message}`, advice));
  }
  walkSchema(schema, place, (object, where) => {
    for (const keyword of Object.keys(object)) faults.try(() => checkKeyword(keyword, at(where, keyword)));
    for (const check of [checkFormat, checkPattern, checkNames, checkValues, checkBounds])
      faults.try(() => check(object, where));
  });
}

function checkKeyword(keyword: string, place: Place): void {
  if (KEYWORDS.has(keyword) || isAnnotation(keyword)) return;
  const word = nearest(keyword, [...KEYWORDS, ...ANNOTATIONS, COMPLETES]);
  const advice = UNSUPPORTED[keyword] ?? (word === undefined ? "remove it" : `write "${word}", or remove it`);
  throw new SpecFault(place, `the keyword "${keyword}" is not supported`, advice);
}

/** Formats of the registry of OpenAPI, and what says the same. */
const OTHER_FORMATS: Readonly<Record<string, string>> = {
  int32: "write its bounds, minimum: -2147483648 and maximum: 2147483647",
  int64: "write a text with a pattern: readers of JSON round integers beyond 2^53",
  ...all("leave it out: every number has 64 bits", "float", "double"),
  ...all("write contentEncoding: base64, of a text", "binary", "byte"),
  password: "leave it out: it says how a form shows the text",
};

function checkFormat({ format }: SchemaObject, place: Place): void {
  const advice =
    OTHER_FORMATS[String(format)] ?? `use one of ${Object.keys(FORMATS).join(", ")}, or a pattern`;
  const isKnown = format === undefined || Object.hasOwn(FORMATS, format);
  ensure(isKnown, at(place, "format"), `the format "${format}" is not known`, advice);
}

const BOUNDS = [
  ...["minimum", "exclusiveMinimum"].flatMap((least) => [
    [least, "maximum"],
    [least, "exclusiveMaximum"],
  ]),
  ...["Length", "Items", "Properties"].map((name) => [`min${name}`, `max${name}`]),
] as [least: string, most: string][];

/** Refuses a lower bound that no value beside the upper one reaches. */
function checkBounds(schema: SchemaObject, place: Place): void {
  for (const [least, most] of BOUNDS) {
    const [low, high] = [schema[least], schema[most]];
    if (typeof low !== "number" || typeof high !== "number") continue;
    const isExclusive = `${least} ${most}`.includes("exclusive");
    const problem = `"${least}" is above "${most}": nothing is valid`;
    const isReached = low < high || (low === high && !isExclusive);
    ensure(isReached, at(place, least), problem, "exchange them, or write false");
  }
}

function checkPattern(schema: SchemaObject, place: Place): void {
  if (typeof schema.pattern === "string") checkExpression(schema.pattern, at(place, "pattern"));
  for (const name of Object.keys(schema.patternProperties ?? {})) {
    checkExpression(name, at(place, "patternProperties", name));
  }
}

/** Refuses listed values that the type excludes, and a type that the list excludes: one of the two is a mistake. */
function checkValues(schema: SchemaObject, place: Place): void {
  const { type, enum: listed } = schema;
  const listAt = at(place, "enum");
  ensure(listed?.length !== 0, listAt, "an empty enum accepts nothing", "list the values, or write false");
  const constants = "const" in schema ? [schema.const] : [];
  for (const [keyword, values = []] of Object.entries({ enum: listed, const: constants })) {
    for (const value of values) {
      const problem = `${JSON.stringify(value)} is not of type ${[type].flat().join(" or ")}`;
      ensure(hasType(value, type), at(place, keyword), problem, "remove it, or add its type");
    }
  }
  const isComplete = !type?.includes("null") || listed === undefined || listed.includes(null);
  const advice = "add null to the enum, or remove it from the type";
  ensure(isComplete, listAt, "null is of the type, and not in the enum", advice);
}

/** Every object of JavaScript seems to have these members. */
export const INHERITED = Object.getOwnPropertyNames(Object.prototype);

function checkNames(schema: SchemaObject, place: Place): void {
  const { properties, required = [], dependentRequired, dependentSchemas } = schema;
  const names = Object.keys({ ...properties, ...recordOf(dependentRequired), ...recordOf(dependentSchemas) });
  const name = [...names, ...required].find((each) => INHERITED.includes(each));
  const advice = "choose another name: each object of JavaScript has one";
  const where = at(place, name !== undefined && required.includes(name) ? "required" : "properties");
  ensure(name === undefined, where, `a property called "${name}" is not supported`, advice);
}

const LINEAR =
  "anchor it with ^, bound its repetitions ({1,99}), and let no two repetitions in a row match the same characters";

function checkExpression(source: string, place: Place): void {
  let expression: RegExp;
  try {
    expression = new RegExp(source, "u");
  } catch {
    throw new SpecFault(place, `${source} is not a regular expression`, "correct it (ECMAScript, flag u)");
  }
  ensure(isLinear(expression), place, `${source} may take more than linear time on a long text`, LINEAR);
}
