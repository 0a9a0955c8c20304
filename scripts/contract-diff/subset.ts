import { type Ajv, compiler, validatorFor } from "../emit/ajv/compile.ts";
import { isRecord, type NamedSchemas, referredName, type Schema, type SchemaObject } from "../emit/schema.ts";
import {
  bounds,
  defined,
  dependentsIn,
  isCounted,
  isNumber,
  isText,
  itemsIn,
  kindsIn,
  lengths,
  matches,
  requiredIn,
  valuesIn,
} from "./ranges.ts";

/** What a sender may put into one place: the members that it declares, and others that neither document names. */
interface Sent {
  readonly schemas: readonly Schema[];
  /** The branches of a `oneOf` that were not chosen. */
  readonly excluded: readonly Schema[];
  /** The sender's schemas for the value, of all other branches. */
  readonly parts: readonly SchemaObject[];
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly string[];
  /** Whether names that only the receiver declares are sent: no name is declared, or `additionalProperties` has a schema. */
  readonly others: boolean;
  readonly id: string;
}

const maySend = ({ others, names, patterns }: Sent, name: string): boolean =>
  others || names.has(name) || patterns.some((pattern) => matches(pattern, name));

/** One way in which a value can be sent: it satisfies each schema of `all`, and none of `none`. */
interface Case {
  readonly all: readonly SchemaObject[];
  readonly none: readonly Schema[];
  readonly sent: Sent;
}

class TooLong extends Error {}

/** Returns the names of members that a schema declares itself. */
const namesOf = ({
  properties,
  required = [],
  dependentRequired = {},
  dependentSchemas,
}: SchemaObject): string[] => [
  ...Object.keys({ ...properties, ...dependentRequired, ...dependentSchemas }),
  ...[required, ...Object.values(dependentRequired)].flat(),
];

const patternsOf = (schemas: readonly SchemaObject[]): string[] =>
  schemas.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties));

/** Returns whether a schema evaluates members of every name. */
const hasRuleForOthers = (schema: Schema): boolean =>
  typeof schema === "object" && (schema.additionalProperties ?? schema.unevaluatedProperties) !== undefined;

const MAX_CASES = 300;
const MAX_STEPS = 40_000;
const MAX_DEPTH = 80;

/**
 * Proves that one schema accepts all that a sender by another one sends. A proof is sound; where there is one, it may not be found.
 * The names of both documents' schemas differ, so a proof may use both.
 */
export class Prover {
  readonly #named: NamedSchemas;
  readonly #ids = new Map<Schema, number>();
  readonly #made = new Map<string, SchemaObject>();
  readonly #validators = new Map<Schema, (value: unknown) => boolean>();
  readonly #proved = new Map<string, boolean>();
  readonly #open: string[] = [];
  #ajv: { size: number; ajv: Ajv } | undefined;
  #steps = 0;
  #depth = 0;

  constructor(named: NamedSchemas) {
    this.#named = named;
  }

  /** Returns whether a receiver by `receiver` certainly accepts what is sent by `sender`. */
  accepts(receiver: Schema, sender: Schema): boolean {
    this.#steps = 0;
    this.#open.length = 0;
    try {
      return this.#root([sender], [sender]).every((one) => this.#implies(one, receiver));
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
      for (const key of this.#open) this.#proved.delete(key);
      this.#depth = 0;
      return false;
    }
  }

  /** Returns whether a schema says something about a member: declares it, or has a rule for all others. */
  isListed(schema: Schema, name: string): boolean {
    const { names, parts } = this.#sentBy([schema]);
    const rules = parts.flatMap((part) => [part.additionalProperties, part.unevaluatedProperties]);
    return names.has(name) || rules.some((rule) => rule !== undefined && rule !== true);
  }

  resolve(schema: Schema): Schema {
    if (typeof schema === "boolean" || schema.$ref === undefined) return schema;
    return this.#named[referredName(schema.$ref) ?? ""] ?? true;
  }

  // Cases

  #root(sender: readonly Schema[], all: readonly Schema[]): Case[] {
    return this.#with(all, { all: [], none: [], sent: this.#sentBy(sender) });
  }

  /** Returns the cases of values that satisfy further schemas. */
  #with(schemas: readonly Schema[], one: Case): Case[] {
    return this.#cases(schemas, [one]).flatMap((each) => {
      const isObject = [...kindsIn(each.all)].every((kind) => kind === "object");
      const dependents = isObject ? dependentsIn(each.all, requiredIn(each.all)) : [];
      const isNew = dependents.some((schema) =>
        typeof schema === "boolean" ? !schema : !each.all.includes(schema),
      );
      return isNew ? this.#with(dependents, each) : [each];
    });
  }

  #cases(schemas: readonly Schema[], from: readonly Case[]): Case[] {
    return schemas.reduce<readonly Case[]>((cases, schema) => {
      const found = cases.flatMap((one) => this.#split(schema, one));
      if (found.length > MAX_CASES) throw new TooLong();
      return found;
    }, from) as Case[];
  }

  #split(schema: Schema, from: Case): Case[] {
    if (typeof schema === "boolean") return schema ? [from] : [];
    if (from.all.includes(schema)) return [from];
    const { allOf = [], anyOf, oneOf, not, if: condition, then, else: otherwise } = schema;
    const none = not === undefined ? from.none : [...from.none, not];
    const whole = schema.$ref === undefined ? allOf : [this.resolve(schema), ...allOf];
    let cases = this.#cases(whole, [{ ...from, all: [...from.all, schema], none }]);
    if (anyOf) cases = cases.flatMap((one) => anyOf.flatMap((branch) => this.#split(branch, one)));
    if (oneOf) {
      const chosen = (one: Case, branch: Schema) =>
        this.#without(
          one,
          oneOf.filter((each) => each !== branch),
        );
      cases = cases.flatMap((one) => oneOf.flatMap((branch) => this.#split(branch, chosen(one, branch))));
    }
    if (condition === undefined || (then ?? otherwise) === undefined) return cases;
    return cases.flatMap((one) => [
      ...this.#cases([condition, then ?? true], [one]),
      ...this.#cases([otherwise ?? true], [{ ...one, none: [...one.none, condition] }]),
    ]);
  }

  /** Returns the case of a sender that has not chosen some branches. */
  #without(one: Case, branches: readonly Schema[]): Case {
    const excluded = branches.filter((each) => typeof each === "object" && !one.all.includes(each));
    if (!excluded.some((each) => one.sent.parts.includes(each as SchemaObject))) return one;
    return { ...one, sent: this.#sentBy(one.sent.schemas, [...one.sent.excluded, ...excluded]) };
  }

  /** Returns the cases of what stands below a value: `pick` finds the schemas for it. */
  #below({ sent, all }: Case, pick: (schemas: readonly SchemaObject[]) => readonly Schema[]): Case[] {
    return this.#root(pick(sent.parts), pick(all));
  }

  #sentBy(schemas: readonly Schema[], excluded: readonly Schema[] = []): Sent {
    const parts = this.#partsOf(schemas, [], excluded);
    const names = new Set(parts.flatMap(namesOf));
    const patterns = [...new Set(patternsOf(parts))];
    const isMap = parts.some(
      (part) => isRecord(part.additionalProperties) || isRecord(part.unevaluatedProperties),
    );
    const others =
      isMap || schemas.length === 0 || schemas.some((schema) => !this.#declares(schema, excluded));
    return {
      schemas,
      excluded,
      parts,
      names,
      patterns,
      others,
      id: `${others} ${parts.map((part) => this.#idOf(part)).sort()}`,
    };
  }

  /** Returns whether objects by a schema have only the members that it declares: without any, they may have all. */
  #declares(schema: Schema, excluded: readonly Schema[], passed: readonly Schema[] = []): boolean {
    if (typeof schema === "boolean" || passed.includes(schema)) return schema === false;
    if (!kindsIn([schema]).has("object")) return true;
    const { allOf = [], anyOf, oneOf, patternProperties = {} } = schema;
    const whole = schema.$ref === undefined ? allOf : [this.resolve(schema), ...allOf];
    const declares = (each: Schema) =>
      excluded.includes(each) || this.#declares(each, excluded, [...passed, schema]);
    return (
      [...namesOf(schema), ...Object.keys(patternProperties)].length > 0 ||
      whole.some(declares) ||
      [anyOf, oneOf].some((branches) => branches?.every(declares))
    );
  }

  /** Returns the schemas that apply to the same value, of all branches. */
  #partsOf(
    schemas: readonly Schema[],
    found: SchemaObject[] = [],
    excluded: readonly Schema[] = [],
  ): SchemaObject[] {
    for (const schema of schemas) {
      if (typeof schema === "boolean" || found.includes(schema) || excluded.includes(schema)) continue;
      found.push(schema);
      const {
        allOf = [],
        anyOf = [],
        oneOf = [],
        if: condition,
        then,
        else: otherwise,
        dependentSchemas,
      } = schema;
      const more = [condition, then, otherwise, ...Object.values(dependentSchemas ?? {})];
      const target = schema.$ref === undefined ? [] : [this.resolve(schema)];
      this.#partsOf(
        [...target, ...allOf, ...anyOf, ...oneOf, ...more.filter((each) => each !== undefined)],
        found,
        excluded,
      );
    }
    return found;
  }

  // Proofs

  #implies(one: Case, schema: Schema): boolean {
    if (schema === true) return true;
    const key = this.#keyOf(one, schema);
    const known = this.#proved.get(key);
    if (known !== undefined) return known;
    if (++this.#steps > MAX_STEPS || ++this.#depth > MAX_DEPTH) throw new TooLong();
    // A proof about a value may use itself for the values below it.
    const start = this.#open.push(key) - 1;
    this.#proved.set(key, true);
    const result = this.#isEmpty(one) || (schema !== false && this.#satisfies(one, schema));
    this.#depth--;
    if (result) return true;
    for (const each of this.#open.splice(start)) this.#proved.delete(each);
    this.#proved.set(key, false);
    return false;
  }

  #satisfies(one: Case, schema: SchemaObject): boolean {
    const values = this.#valuesOf(one);
    if (values) return values.every((value) => this.#isValid(value, schema));
    const kinds = kindsIn(one.all);
    if (schema.enum !== undefined || schema.const !== undefined) return false;
    if ([...kinds].some((kind) => !kindsIn([schema]).has(kind))) return false;
    if (kinds.has("string") && !isText(one.all, schema)) return false;
    if ((kinds.has("integer") || kinds.has("fraction")) && !isNumber(one.all, schema)) return false;
    if (kinds.has("array") && !this.#isArray(one, schema)) return false;
    if (kinds.has("object") && !this.#isObject(one, schema)) return false;
    return this.#isCombined(one, schema);
  }

  #isCombined(one: Case, schema: SchemaObject): boolean {
    const { allOf = [], anyOf, oneOf, not, if: condition, then = true, else: otherwise = true } = schema;
    const whole = schema.$ref === undefined ? allOf : [this.resolve(schema), ...allOf];
    return (
      whole.every((each) => this.#implies(one, each)) &&
      (anyOf === undefined || this.#isOneOf(one, anyOf, false)) &&
      (oneOf === undefined || this.#isOneOf(one, oneOf, true)) &&
      (not === undefined || this.#isDisjoint(one, not)) &&
      (condition === undefined ||
        (this.#with([condition], one).every((each) => this.#implies(each, then)) &&
          this.#implies({ ...one, none: [...one.none, condition] }, otherwise)))
    );
  }

  #isOneOf(one: Case, branches: readonly Schema[], isExclusive: boolean): boolean {
    const isAlone = (each: Case, index: number) =>
      !isExclusive || branches.every((other, at) => at === index || this.#isDisjoint(each, other));
    const fits = (each: Case) =>
      branches.some((branch, index) => this.#implies(each, branch) && isAlone(each, index));
    if (fits(one)) return true;
    const divided = [
      this.#byKind(one),
      ...this.#tagsIn(branches).map((tag) => this.#byTag(one, tag, branches)),
    ];
    return divided.some(
      (pieces) => pieces.length > 1 && pieces.every((each) => this.#isEmpty(each) || fits(each)),
    );
  }

  #byKind(one: Case): Case[] {
    const kinds = ["null", "boolean", "object", "array", "string", "number"];
    return kinds
      .flatMap((type) => this.#with([this.#make({ type })], one))
      .filter((each) => !this.#isEmpty(each));
  }

  /** Returns the names of members whose values distinguish the branches. */
  #tagsIn(branches: readonly Schema[]): string[] {
    const parts = branches.flatMap((branch) => this.#partsOf([branch]));
    const tags = parts.flatMap(({ properties = {} }) =>
      Object.keys(properties).filter((name) => valuesIn(this.resolve(properties[name] ?? true)).length > 0),
    );
    return [...new Set(tags)].slice(0, 4);
  }

  #byTag(one: Case, tag: string, branches: readonly Schema[]): Case[] {
    const parts = branches.flatMap((branch) => this.#partsOf([branch]));
    const lists = parts.map(({ properties = {} }) => valuesIn(this.resolve(properties[tag] ?? true)));
    const values = [...new Set(lists.flat().map((value) => JSON.stringify(value)))].map((text) =>
      JSON.parse(text),
    );
    const having = (schema: SchemaObject) =>
      this.#make({ type: "object", required: [tag], properties: { [tag]: schema } });
    const pieces = [...values.map((value) => having({ enum: [value] })), having({ not: { enum: values } })];
    const absent = this.#make({ not: { required: [tag], type: "object" } });
    return [...pieces, absent]
      .flatMap((piece) => this.#with([piece], one))
      .filter((each) => !this.#isEmpty(each));
  }

  #isDisjoint(one: Case, schema: Schema): boolean {
    return this.#with([schema], one).every((each) => this.#isEmpty(each));
  }

  /** Returns whether certainly no value is sent. */
  #isEmpty(one: Case): boolean {
    const key = `${this.#keyOf(one, false)} empty`;
    const known = this.#proved.get(key);
    if (known !== undefined) return known;
    if (++this.#steps > MAX_STEPS || ++this.#depth > MAX_DEPTH) throw new TooLong();
    this.#proved.set(key, false);
    const result = this.#isContradiction(one);
    this.#depth--;
    if (!result) this.#proved.delete(key);
    else this.#open.push(key);
    this.#proved.set(key, result);
    return result;
  }

  #isContradiction(one: Case): boolean {
    const kinds = kindsIn(one.all);
    if (kinds.size === 0 || this.#valuesOf(one)?.length === 0) return true;
    const [only = ""] = kinds.size === 1 ? kinds : [];
    if (only === "string" && lengths(one.all, "Length").isEmpty) return true;
    if (only === "array" && lengths(one.all, "Items").isEmpty) return true;
    if (!["null", "boolean", "object", "array", "string"].some((kind) => kinds.has(kind))) {
      if (bounds(one.all).isEmpty) return true;
    }
    const isImpossible = (name: string) =>
      !maySend(one.sent, name) || this.#membersOf(one, name).every((each) => this.#isEmpty(each));
    if (only === "object" && [...requiredIn(one.all)].some(isImpossible)) return true;
    return one.none.some((schema, index) =>
      this.#implies({ ...one, none: one.none.filter((_, at) => at !== index) }, schema),
    );
  }

  /** Returns the values of a case that has only a few; undefined for others. */
  #valuesOf(one: Case): unknown[] | undefined {
    const listed = one.all.map(valuesIn).find((values) => values.length > 0);
    const isSmall = [...kindsIn(one.all)].every((kind) => kind === "null" || kind === "boolean");
    const values = listed ?? (isSmall ? [null, true, false] : undefined);
    return values?.filter(
      (value) =>
        one.all.every((schema) => this.#isValid(value, schema)) &&
        !one.none.some((schema) => this.#isValid(value, schema)),
    );
  }

  // Arrays and objects

  #isArray(one: Case, schema: SchemaObject): boolean {
    const { least, most } = lengths(one.all, "Items");
    const wanted = lengths([schema], "Items");
    if (least < wanted.least || most > wanted.most) return false;
    if (schema.uniqueItems === true && most > 1 && !one.all.some((each) => each.uniqueItems === true))
      return false;
    const fixed = Math.max(0, ...[schema, ...one.all].map(({ prefixItems = [] }) => prefixItems.length));
    const indexes = Array.from({ length: fixed + 1 }, (_, index) => index).filter((index) => index < most);
    const items = (index: number) => this.#below(one, (all) => itemsIn(all, index));
    const areItems = indexes.every((index) =>
      itemsIn([schema], index).every((each) => items(index).every((item) => this.#implies(item, each))),
    );
    return areItems && isCounted(schema) && this.#contains(one, schema, items);
  }

  #contains(one: Case, schema: SchemaObject, items: (index: number) => Case[]): boolean {
    const { contains, minContains = 1, maxContains } = schema;
    if (contains === undefined) return true;
    const known = one.all.filter((each) => each.contains !== undefined);
    const isEnough = known.some(
      (each) =>
        Number(each.minContains ?? 1) >= Number(minContains) &&
        this.#root([true], [each.contains ?? true]).every((item) => this.#implies(item, contains)),
    );
    const isFew = known.some(
      (each) =>
        Number(each.maxContains ?? Number.POSITIVE_INFINITY) <= Number(maxContains) &&
        items(Number.MAX_SAFE_INTEGER).every((item) =>
          this.#cases([contains], [item]).every((found) => this.#implies(found, each.contains ?? true)),
        ) &&
        !one.all.some(({ prefixItems }) => prefixItems !== undefined),
    );
    return (Number(minContains) === 0 || isEnough) && (maxContains === undefined || isFew);
  }

  #membersOf(one: Case, name: string): Case[] {
    return this.#below(one, (all) => all.flatMap((each) => this.#memberSchemas(each, name)));
  }

  /** Returns what a schema demands of a member. */
  #memberSchemas(schema: SchemaObject, name: string): Schema[] {
    const { properties = {}, patternProperties = {}, additionalProperties } = schema;
    const own = Object.hasOwn(properties, name) ? [properties[name] ?? true] : [];
    const matching = Object.entries(patternProperties).filter(([pattern]) => matches(pattern, name));
    const found = [...own, ...matching.map(([, each]) => each)];
    const named =
      schema.propertyNames === undefined || this.#isValid(name, schema.propertyNames) ? [] : [false];
    if (found.length > 0 || additionalProperties !== undefined)
      return [...named, ...(found.length > 0 ? found : [additionalProperties ?? true])];
    const unevaluated = this.#unevaluated(schema);
    const isEvaluated =
      unevaluated === undefined || maySend({ ...this.#sentBy([schema]), others: false }, name);
    return isEvaluated ? named : [...named, unevaluated];
  }

  /** Returns what a schema certainly demands of members without a declared name, when no part of it has a rule for all others. */
  #unevaluated(schema: SchemaObject): Schema | undefined {
    const isOpen = this.#partsOf([schema]).some((part) => part !== schema && hasRuleForOthers(part));
    return isOpen ? undefined : schema.unevaluatedProperties;
  }

  #isObject(one: Case, schema: SchemaObject): boolean {
    const { required = [], dependentRequired = {}, dependentSchemas = {} } = schema;
    const known = requiredIn(one.all);
    const having = (name: string) => this.#with([this.#make({ type: "object", required: [name] })], one);
    return (
      required.every((name) => known.has(name)) &&
      this.#isOfSize(one, schema) &&
      Object.entries(dependentRequired).every(([name, names]) =>
        having(name).every(
          (each) => this.#isEmpty(each) || names.every((other) => requiredIn(each.all).has(other)),
        ),
      ) &&
      Object.entries(dependentSchemas).every(([name, below]) =>
        having(name).every((each) => this.#implies(each, below)),
      ) &&
      this.#areMembers(one, schema)
    );
  }

  #isOfSize(one: Case, schema: SchemaObject): boolean {
    const { least, most } = lengths(one.all, "Properties");
    const wanted = lengths([schema], "Properties");
    const count = this.#groupsOf(one).length > 0 ? Number.POSITIVE_INFINITY : this.#namesOf(one).length;
    return Math.max(least, requiredIn(one.all).size) >= wanted.least && Math.min(most, count) <= wanted.most;
  }

  #areMembers(one: Case, schema: SchemaObject): boolean {
    const {
      properties = {},
      patternProperties = {},
      additionalProperties,
      propertyNames,
      unevaluatedProperties,
    } = schema;
    const unevaluated = additionalProperties === undefined ? unevaluatedProperties : undefined;
    if ([additionalProperties, propertyNames, unevaluated].every((each) => each === undefined)) {
      if (Object.keys({ ...properties, ...patternProperties }).length === 0) return true;
    }
    const seen = unevaluated === undefined ? undefined : this.#evaluated(one, schema);
    const left = (isSeen: boolean | undefined) =>
      unevaluated === undefined || isSeen || seen?.others ? [] : [unevaluated];
    const allImply = (cases: readonly Case[], targets: readonly Schema[]) =>
      cases.every((each) => targets.every((target) => this.#implies(each, target)));
    const own = { ...schema, unevaluatedProperties: undefined } as unknown as SchemaObject;
    if (
      !this.#namesOf(one, properties).every((name) =>
        allImply(this.#membersOf(one, name), [
          ...this.#memberSchemas(own, name),
          ...left(seen?.names.has(name)),
        ]),
      )
    )
      return false;
    return this.#groupsOf(one).every(({ pattern, cases }) => {
      const same = pattern !== undefined && pattern in patternProperties;
      const isCovered = (each: string) =>
        pattern === undefined && one.all.some(({ patternProperties: all = {} }) => each in all);
      const patterned = Object.entries(patternProperties).filter(([each]) => !isCovered(each));
      const additional = same || additionalProperties === undefined ? [] : [additionalProperties];
      const isSeen = pattern !== undefined && seen?.patterns.has(pattern);
      const isNamed =
        propertyNames === undefined ||
        this.#below(one, (all) => [
          this.#make({ type: "string" }),
          ...all.map((each) => each.propertyNames ?? true),
        ]).every((each) => this.#implies(each, propertyNames));
      return (
        isNamed && allImply(cases, [...patterned.map(([, each]) => each), ...additional, ...left(isSeen)])
      );
    });
  }

  /** Returns the names that are sent, as far as the sender, the case or a receiver declares them. */
  #namesOf({ sent, all }: Case, properties: Readonly<Record<string, unknown>> = {}): string[] {
    const names = new Set([...sent.names, ...all.flatMap(namesOf), ...Object.keys(properties)]);
    return [...names].filter((name) => maySend(sent, name));
  }

  /** Returns the members that are sent without a declared name: those of each pattern, and others, which no document names. */
  #groupsOf(one: Case): { pattern?: string; cases: Case[] }[] {
    const known = one.sent.others ? patternsOf(one.all) : [];
    const patterned = [...new Set([...one.sent.patterns, ...known])].map((pattern) => ({
      pattern,
      cases: this.#below(one, (all) => defined(all, ({ patternProperties }) => patternProperties?.[pattern])),
    }));
    const others = this.#below(one, (all) =>
      defined(all, (each) => each.additionalProperties ?? this.#unevaluated(each)),
    );
    const groups = [...patterned, { cases: others }];
    return groups.filter(({ cases }) => !cases.every((each) => this.#isEmpty(each)));
  }

  /** Returns the members that a schema evaluates in each value of a case; `others`: all of them, by a part's rule. */
  #evaluated(one: Case, schema: Schema): { names: Set<string>; patterns: Set<string>; others: boolean } {
    if (typeof schema === "boolean") return { names: new Set(), patterns: new Set(), others: false };
    const { allOf = [], anyOf = [], oneOf = [], if: condition, then = true } = schema;
    const certain = [...anyOf, ...oneOf].filter((branch) => this.#implies(one, branch));
    const holds = condition !== undefined && this.#implies(one, condition) ? [condition, then] : [];
    const target = schema.$ref === undefined ? [] : [this.resolve(schema)];
    const applied = [...target, ...allOf, ...certain, ...holds];
    const parts = applied.map((each) => this.#evaluated(one, each));
    return {
      names: new Set([...Object.keys(schema.properties ?? {}), ...parts.flatMap(({ names }) => [...names])]),
      patterns: new Set([
        ...Object.keys(schema.patternProperties ?? {}),
        ...parts.flatMap(({ patterns }) => [...patterns]),
      ]),
      others: applied.some(hasRuleForOthers) || parts.some(({ others }) => others),
    };
  }

  // Values and identities

  #isValid(value: unknown, schema: Schema): boolean {
    if (typeof schema === "boolean") return schema;
    let validator = this.#validators.get(schema);
    if (!validator) {
      const size = Object.keys(this.#named).length;
      if (this.#ajv?.size !== size) this.#ajv = { size, ajv: compiler(this.#named, "fast") };
      validator = validatorFor(this.#ajv.ajv, schema);
      this.#validators.set(schema, validator);
    }
    return validator(value);
  }

  /** Returns the same object for the same keywords, so that proofs about it are found again. */
  #make(schema: SchemaObject): SchemaObject {
    const key = JSON.stringify(schema);
    const made = this.#made.get(key) ?? schema;
    this.#made.set(key, made);
    return made;
  }

  #keyOf({ all, none, sent }: Case, schema: Schema): string {
    const ids = (schemas: readonly Schema[]) =>
      schemas
        .map((each) => this.#idOf(each))
        .sort()
        .join();
    return `${ids(all)}!${ids(none)}:${sent.id}>${this.#idOf(schema)}`;
  }

  #idOf(schema: Schema): number {
    const id = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }
}
