import type { Place, Position } from "../emit/fault.ts";
import type { Change } from "./change.ts";
import { adviceOn } from "./describe.ts";
import type { Side } from "./documents.ts";
import type { Parties, Party } from "./parties.ts";

/** The ends of a connection that fail. The client calls, or reads events; the server answers, or sends them. */
export interface Broken {
  readonly client?: boolean | undefined;
  readonly server?: boolean | undefined;
}

export const CLIENT: Broken = { client: true };
export const SERVER: Broken = { server: true };
export const BOTH: Broken = { client: true, server: true };
export const NONE: Broken = {};

export interface Finding {
  readonly change: "added" | "removed" | "modified";
  readonly place: string;
  readonly message: string;
  /** In the new document; in the old one if it was removed. */
  readonly at: Place;
  readonly breaks: Broken;
  /** The kind if no party is broken. */
  readonly kind?: Exclude<Change["kind"], "breaking"> | undefined;
  readonly advice?: string | undefined;
}

/** Collects the findings about a document. What several operations share is reported once, for all whom it breaks. */
export class Findings {
  readonly #old: Side;
  readonly #now: Side;
  readonly #found = new Map<string, Finding>();

  constructor(old: Side, now: Side) {
    this.#old = old;
    this.#now = now;
  }

  add(finding: Finding): void {
    const { at, message, breaks } = finding;
    const { line, column } = this.#positionOf(finding);
    const key = `${message} ${at.document}:${line}:${column}`;
    const known = this.#found.get(key) ?? finding;
    const both = (end: "client" | "server") => known.breaks[end] === true || breaks[end] === true;
    this.#found.set(key, { ...known, breaks: { client: both("client"), server: both("server") } });
  }

  changes(parties: Parties): Change[] {
    return [...this.#found.values()].map((finding) =>
      changeOf(finding, parties, this.#positionOf(finding).line),
    );
  }

  #positionOf({ change, at }: Finding): Position {
    return (change === "removed" ? this.#old : this.#now).positionOf(at);
  }
}

function changeOf(
  { change, at, breaks, kind, advice, ...shown }: Finding,
  parties: Parties,
  line: number,
): Change {
  const broken: Party[] = [
    ...(breaks.client ? [parties.client] : []),
    ...(breaks.server && !parties.isReleasedWithDocument ? [parties.server] : []),
  ];
  const file = at.document.slice(at.document.indexOf("/") + 1);
  const found = { ...shown, breaks: broken, file, line, pointer: `#${at.pointer}` };
  if (broken.length > 0)
    return { ...found, kind: "breaking", advice: advice ?? adviceOn(change, shown.message) };
  return { ...found, kind: kind ?? (change === "added" || breaks.server ? "addition" : "wording") };
}
