import { isDeepStrictEqual } from "node:util";
import { at, type Place } from "../emit/fault.ts";
import { isAnnotation, isRecord, type Schema, type SchemaObject } from "../emit/schema.ts";
import { changed, ownerOf } from "./change.ts";
import type { Side } from "./documents.ts";
import { valuesIn } from "./ranges.ts";
import { type Broken, type Finding, type Findings, NONE } from "./report.ts";
import type { Prover } from "./subset.ts";

/** Who sends the value: the client, the server (also of events), or neither, in a schema that no operation uses. */
export type Flow = "request" | "response" | "unused";

/** `narrow`: what was sent may be refused now. `widen`: what is sent now may have been refused. */
interface Directions {
  readonly narrow: boolean;
  readonly widen: boolean;
}

export interface Spot {
  readonly place: string;
  readonly flow: Flow;
  readonly from: Place;
  readonly to: Place;
  /** The kind of everything that breaks no party. */
  readonly kind?: Finding["kind"];
}

const UNKNOWN: Directions = { narrow: true, widen: true };
const DESCENT = ["items", "additionalProperties", "then", "else"];
const BRANCHES = ["allOf", "anyOf", "oneOf"];

/**
 * Finds the changes of schemas. Whether values may be refused is proved for each schema as a whole; the keywords below it are then searched
 * for the reason, and a schema without a found reason is reported itself, so that none is lost.
 */
export class SchemaChanges {
  readonly #prover: Prover;
  readonly #old: Side;
  readonly #now: Side;
  readonly #findings: Findings;
  readonly #seen = new Map<string, Directions>();
  readonly #ids = new Map<Schema, number>();
  readonly #same = new Map<string, boolean>();

  constructor(prover: Prover, old: Side, now: Side, findings: Findings) {
    this.#prover = prover;
    this.#old = old;
    this.#now = now;
    this.#findings = findings;
  }

  /** Reports the changes of a schema, and returns the reported directions. `tree`: the new schema of the whole value. */
  compare(before: Schema, after: Schema, spot: Spot, may = UNKNOWN, tree?: Schema): Directions {
    const [a, b] = [this.#prover.resolve(before), this.#prover.resolve(after)];
    if (this.#isSame(a, b)) return { narrow: false, widen: false };
    const here = { ...spot, from: this.#old.placeOf(a) ?? spot.from, to: this.#now.placeOf(b) ?? spot.to };
    const where = typeof a === "boolean" || typeof b === "boolean" ? here.to.pointer : "";
    const key = JSON.stringify([spot.flow, spot.kind, may, where, this.#idOf(a), this.#idOf(b)]);
    const known = this.#seen.get(key);
    if (known) return known;
    this.#seen.set(key, may);
    const real = {
      narrow: may.narrow && !this.#prover.accepts(b, a),
      widen: may.widen && !this.#prover.accepts(a, b),
    };
    const found = this.#within(a, b, here, real, tree ?? b);
    const rest = { narrow: real.narrow && !found.narrow, widen: real.widen && !found.widen };
    if (rest.narrow || rest.widen) {
      const message = `The values of \`${ownerOf(`${here.to.pointer}/-`).slice(5, -1)}\` changed.`;
      this.#report("modified", message, here.to, here, rest);
    }
    this.#seen.set(key, real);
    return real;
  }

  #within(a: Schema, b: Schema, spot: Spot, real: Directions, tree: Schema): Directions {
    if (typeof a === "boolean" || typeof b === "boolean") return { narrow: false, widen: false };
    const keywords = [...new Set([...Object.keys(a), ...Object.keys(b)])];
    const found = keywords
      .filter((keyword) => !this.#isSame(a[keyword], b[keyword]))
      .map((keyword) => this.#keyword(keyword, a, b, spot, real, tree));
    return union(found);
  }

  #keyword(
    keyword: string,
    a: SchemaObject,
    b: SchemaObject,
    spot: Spot,
    real: Directions,
    tree: Schema,
  ): Directions {
    const [before, after] = [a[keyword], b[keyword]];
    if (isAnnotation(keyword) || keyword.startsWith("x-")) return this.#note(keyword, before, after, spot);
    if (keyword === "properties") return this.#members(a, b, spot, real, tree);
    if (BRANCHES.includes(keyword) && before && after) return this.#branches(keyword, a, b, spot, real, tree);
    if (DESCENT.includes(keyword) && isRecord(before) && isRecord(after))
      return this.compare(before, after, below(spot, keyword), real);
    const directions = this.#effect(a, { ...a, [keyword]: after }, real);
    const pointer = at(after === undefined ? spot.from : spot.to, keyword);
    const message = changed(keyword, pointer.pointer, before, after);
    const change =
      before === undefined && message.endsWith("was added.")
        ? "added"
        : after === undefined
          ? "removed"
          : "modified";
    this.#report(change, message, pointer, spot, directions);
    return directions;
  }

  #note(keyword: string, before: unknown, after: unknown, spot: Spot): Directions {
    const side = after === undefined ? spot.from : spot.to;
    const kind = ["deprecated", "default"].includes(keyword) ? "notice" : "wording";
    const message = changed(keyword, at(side, keyword).pointer, before, after);
    const change = after === undefined ? "removed" : "modified";
    this.#findings.add({ change, message, at: at(side, keyword), place: spot.place, breaks: NONE, kind });
    return { narrow: false, widen: false };
  }

  /** Returns what a change of one keyword does to the values, if it is the only one. */
  #effect(a: SchemaObject, hybrid: Readonly<Record<string, unknown>>, real: Directions): Directions {
    const other = Object.fromEntries(Object.entries(hybrid).filter(([, value]) => value !== undefined));
    return {
      narrow: real.narrow && !this.#prover.accepts(other, a),
      widen: real.widen && !this.#prover.accepts(a, other),
    };
  }

  #members(a: SchemaObject, b: SchemaObject, spot: Spot, real: Directions, tree: Schema): Directions {
    const [before, after] = [a.properties ?? {}, b.properties ?? {}];
    const found = [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) => {
      const [old, now] = [before[name], after[name]];
      if (this.#isSame(old, now)) return { narrow: false, widen: false };
      const next = below(spot, "properties", name);
      if (old !== undefined && now !== undefined && now !== false) return this.compare(old, now, next, real);
      const required = a.required?.filter((each) => each !== name);
      const properties = Object.fromEntries(
        Object.entries({ ...before, [name]: now }).filter(([, each]) => each !== undefined),
      );
      const from = { ...a, ...(required && { required }) };
      const directions = this.#effect(from, { ...from, properties }, real);
      if (now !== undefined) {
        const owner = `${name}\`${ownerOf(next.to.pointer)}`;
        const message = now === false ? `\`${owner} is no longer allowed.` : `Property \`${owner} was added.`;
        this.#report(now === false ? "modified" : "added", message, next.to, spot, directions);
        return directions;
      }
      const message = `Property \`${name}\`${ownerOf(next.from.pointer)} was removed.`;
      const isLost = spot.flow === "response" && old !== false && !this.#prover.isListed(tree, name);
      this.#report(
        "removed",
        message,
        next.from,
        spot,
        isLost ? { ...directions, widen: true } : directions,
        "notice",
      );
      return directions;
    });
    return union(found);
  }

  #branches(
    keyword: string,
    a: SchemaObject,
    b: SchemaObject,
    spot: Spot,
    real: Directions,
    tree: Schema,
  ): Directions {
    const [before, after] = [[...(a[keyword] as Schema[])], [...(b[keyword] as Schema[])]];
    const pairs = this.#paired(before, after);
    const found = pairs.map(([old, now]): Directions => {
      if (old !== undefined && now !== undefined) {
        const next = { ...spot, from: at(spot.from, keyword, old), to: at(spot.to, keyword, now) };
        return this.compare(
          before[old] ?? true,
          after[now] ?? true,
          next,
          real,
          keyword === "allOf" ? tree : undefined,
        );
      }
      const list = now === undefined ? before.filter((_, index) => index !== old) : [...before, after[now]];
      const directions = this.#effect(a, { ...a, [keyword]: list.length > 0 ? list : undefined }, real);
      const side = now === undefined ? at(spot.from, keyword, old ?? 0) : at(spot.to, keyword, now);
      const change = now === undefined ? "removed" : "added";
      const name = `Branch ${(now ?? old ?? 0) + 1} of \`${keyword}\`${ownerOf(side.pointer.replace(/\/\d+$/, ""))}`;
      this.#report(change, `${name} was ${change}.`, side, spot, directions);
      return directions;
    });
    return union(found);
  }

  /** Pairs the branches that are equal, have the same name or tag, or are left over. */
  #paired(
    before: readonly Schema[],
    after: readonly Schema[],
  ): [old?: number | undefined, now?: number | undefined][] {
    const pairs = new Map<number, number>();
    const free = () => after.map((_, index) => index).filter((index) => ![...pairs.values()].includes(index));
    const pair = (fits: (old: Schema, now: Schema) => boolean) => {
      for (const [index, old] of before.entries()) {
        const match = pairs.has(index) ? undefined : free().find((now) => fits(old, after[now] ?? true));
        if (match !== undefined) pairs.set(index, match);
      }
    };
    pair((old, now) => this.#isSame(old, now));
    pair((old, now) => this.#labelOf(old, this.#old) === this.#labelOf(now, this.#now));
    if (before.length === after.length) pair(() => true);
    return [
      ...before.map((_, index): [number, number | undefined] => [index, pairs.get(index)]),
      ...free().map((now): [undefined, number] => [undefined, now]),
    ];
  }

  #labelOf(schema: Schema, side: Side): unknown {
    const target = this.#prover.resolve(schema);
    if (target !== schema) return side.placeOf(target)?.pointer;
    if (typeof schema === "boolean") return schema;
    const tags = Object.entries(schema.properties ?? {}).filter(([, each]) => valuesIn(each).length > 0);
    return tags.length > 0 ? JSON.stringify(tags) : JSON.stringify(schema.type ?? schema);
  }

  #report(
    change: Finding["change"],
    message: string,
    place: Place,
    spot: Spot,
    directions: Directions,
    kind?: Finding["kind"],
  ): void {
    const breaks = brokenBy(directions, spot.flow);
    this.#findings.add({ change, message, at: place, place: spot.place, breaks, kind: spot.kind ?? kind });
  }

  /** Returns whether two values are the same, apart from the names of schemas. */
  #isSame(a: unknown, b: unknown): boolean {
    if (Array.isArray(a) && Array.isArray(b))
      return a.length === b.length && a.every((each, index) => this.#isSame(each, b[index]));
    if (!isRecord(a) || !isRecord(b)) return isDeepStrictEqual(a, b);
    const key = `${this.#idOf(a)} ${this.#idOf(b)}`;
    const known = this.#same.get(key);
    if (known !== undefined) return known;
    const start = this.#same.size;
    this.#same.set(key, true);
    const names = Object.keys(a);
    const isSame =
      names.length === Object.keys(b).length &&
      names.every((name) =>
        name === "$ref" && "$ref" in b
          ? this.#isSameTarget(a, b)
          : Object.hasOwn(b, name) && this.#isSame(a[name], b[name]),
      );
    // What was the same only if this is the same is not.
    if (!isSame) for (const each of [...this.#same.keys()].slice(start)) this.#same.delete(each);
    this.#same.set(key, isSame);
    return isSame;
  }

  #isSameTarget(a: SchemaObject, b: SchemaObject): boolean {
    const [left, right] = [
      this.#prover.resolve({ $ref: a.$ref ?? "" }),
      this.#prover.resolve({ $ref: b.$ref ?? "" }),
    ];
    return this.#isSame(left, right);
  }

  #idOf(schema: Schema): number {
    const id = this.#ids.get(schema) ?? this.#ids.size;
    this.#ids.set(schema, id);
    return id;
  }
}

const below = (spot: Spot, ...steps: string[]): Spot => ({
  ...spot,
  from: at(spot.from, ...steps),
  to: at(spot.to, ...steps),
});

const union = (all: readonly Directions[]): Directions => ({
  narrow: all.some(({ narrow }) => narrow),
  widen: all.some(({ widen }) => widen),
});

/** What was sent and is refused breaks the old sender; what is sent now and was refused, the old receiver. */
export function brokenBy({ narrow, widen }: Directions, flow: Flow): Broken {
  if (flow === "unused") return NONE;
  return flow === "request" ? { client: narrow, server: widen } : { client: widen, server: narrow };
}
