import { isDeepStrictEqual } from "node:util";
import { pointerSteps } from "../emit/fault.ts";
import type { Located } from "../emit/located.ts";
import { recordOf } from "../emit/schema.ts";
import { changed } from "./change.ts";
import type { Side } from "./documents.ts";
import { BOTH, type Broken, type Finding, type Findings, NONE } from "./report.ts";
import { brokenBy, type Flow, type SchemaChanges } from "./schema-changes.ts";

/** One part of the document in both revisions. */
export interface Pair {
  readonly a?: Located | undefined;
  readonly b?: Located | undefined;
}

type Kind = Finding["kind"];

/** Text for people, and what only generated code and documentation use. */
const TEXT =
  /^(x-|(title|summary|description|tags|externalDocs|examples?|contact|license|termsOfService|version|bindingVersion)$)/;

const UNJUDGED =
  "contract:diff cannot compare this: show that neither side refuses what the other sends, or declare it.";

/** Walks through both revisions of a document, and reports what differs. */
export class Walk {
  readonly #schemas: SchemaChanges;
  readonly #old: Side;
  readonly #now: Side;
  readonly #findings: Findings;

  constructor(old: Side, now: Side, findings: Findings, schemas: SchemaChanges) {
    this.#schemas = schemas;
    this.#old = old;
    this.#now = now;
    this.#findings = findings;
  }

  get root(): Pair {
    return { a: this.#old.root, b: this.#now.root };
  }

  below({ a, b }: Pair, ...keys: (string | number)[]): Pair {
    return {
      a: keys.reduce<Located | undefined>((from, key) => this.#old.below(from, key), a),
      b: keys.reduce<Located | undefined>((from, key) => this.#now.below(from, key), b),
    };
  }

  /** Returns the members of a mapping or list by name; `nameOf` gives the names of a list's. */
  members(pair: Pair, nameOf?: (item: Located, index: number) => string): Map<string, Pair> {
    const found = new Map<string, Pair>();
    for (const side of ["b", "a"] as const) {
      for (const [index, key] of Object.keys((pair[side]?.value ?? {}) as object).entries()) {
        const item = this.below({ [side]: pair[side] }, key)[side];
        const name = item && nameOf ? nameOf(item, index) : key;
        if (item && !key.startsWith("x-")) found.set(name, { ...found.get(name), [side]: item });
      }
    }
    return found;
  }

  /** Reports a part that was added or removed, and returns whether it is in both. */
  isInBoth(
    { a, b }: Pair,
    place: string,
    noun: string,
    broken: { added?: Broken; removed?: Broken },
  ): boolean {
    const at = (b ?? a)?.place;
    if (a && b) return true;
    if (!at) return false;
    const change = b ? "added" : "removed";
    this.#findings.add({
      change,
      place,
      message: `${noun} was ${change}.`,
      at,
      breaks: broken[change] ?? NONE,
    });
    return false;
  }

  /** Reports the change of a value under a key, if there is one. */
  value(
    pair: Pair,
    key: string,
    place: string,
    breaks: Broken,
    more: { kind?: Kind; advice?: string } = {},
  ): void {
    const { a, b } = this.below(pair, key);
    if (isDeepStrictEqual(a?.value, b?.value)) return;
    const at = (b ?? a)?.place;
    if (!at) return;
    const change = !b ? "removed" : a ? "modified" : "added";
    this.#findings.add({
      change,
      place,
      message: changed(key, at.pointer, a?.value, b?.value),
      at,
      breaks,
      ...more,
    });
  }

  report(pair: Pair, place: string, message: string, breaks: Broken, kind?: Kind): void {
    const at = (pair.b ?? pair.a)?.place;
    if (at) this.#findings.add({ change: pair.b ? "modified" : "removed", place, message, at, breaks, kind });
  }

  /** Reports every other key that differs: text is wording, and the rest cannot be judged. */
  others(pair: Pair, place: string, known: readonly string[]): void {
    const keys = new Set([pair.a, pair.b].flatMap((side) => Object.keys(recordOf(side?.value))));
    for (const key of keys) {
      if (known.includes(key)) continue;
      if (key === "deprecated") this.value(pair, key, place, NONE, { kind: "notice" });
      else if (TEXT.test(key)) this.value(pair, key, place, NONE, { kind: "wording" });
      else this.value(pair, key, place, BOTH, { advice: UNJUDGED });
    }
  }

  /** Compares what stands under `schema` or another key; where it is missing, everything is allowed. */
  schema(pair: Pair, key: string, place: string, flow: Flow): void {
    const { a, b } = this.below(pair, key);
    if (a && b) this.named({ a, b }, place, flow);
    else this.value(pair, key, place, brokenBy({ narrow: b !== undefined, widen: a !== undefined }, flow));
  }

  /** Compares two schemas. */
  named({ a, b }: Pair, place: string, flow: Flow, kind?: Kind): void {
    if (!a || !b) return;
    const spot = { place, flow, from: a.place, to: b.place, kind };
    this.#schemas.compare(this.#old.schema(a), this.#now.schema(b), spot);
  }
}

/** Returns an address with its parameters by position: their names do not change it. */
export const shapeOf = (address: unknown): string => String(address).replaceAll(/\{[^}]*\}/g, "{}");

export const lastOf = ({ a, b }: Pair): string => pointerSteps((b ?? a)?.place.pointer ?? "").at(-1) ?? "";
