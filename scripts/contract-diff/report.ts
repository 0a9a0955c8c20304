import type { Place, Position } from "../emit/fault.ts";
import { adviceOn, type Change, type ComparedDocument, type Parties, type Party } from "./change.ts";
import type { Base, Side } from "./documents.ts";
import { versionVerdict } from "./version-rule.ts";

export interface Comparison {
  base: Base;
  documents: readonly ComparedDocument[];
}

interface Totals {
  breaking: number;
  undeclared: number;
  additions: number;
  notices: number;
  advice: number;
  wording: number;
}

export function totalsOf(documents: readonly ComparedDocument[]): Totals {
  const count = (kind: Change["kind"]) =>
    documents.flatMap(({ changes }) => changes).filter((change) => change.kind === kind).length;
  const undeclared = documents.reduce((sum, document) => {
    const verdict = versionVerdict(document);
    return sum + ("breaking" in verdict ? verdict.breaking : 0);
  }, 0);
  return {
    breaking: count("breaking"),
    undeclared,
    additions: count("addition"),
    notices: count("notice"),
    advice: count("advice"),
    wording: count("wording"),
  };
}

/** Returns the report as JSON, including the changes of wording. */
export function jsonReport({ base, documents }: Comparison): string {
  const judged = documents.map((document) => ({ ...document, verdict: versionVerdict(document) }));
  return `${JSON.stringify({ base, documents: judged, summary: totalsOf(documents) }, null, 2)}\n`;
}

export function textReport({ base, documents }: Comparison, folder: string): string {
  const { breaking, undeclared, additions, notices, advice, wording } = totalsOf(documents);
  const chapters = documents.map((document) => `${documentText(document, folder)}\n`);
  const declared = breaking === 0 ? "" : ` (${undeclared} undeclared)`;
  const others = [
    ...(notices > 0 ? [plural(notices, "notice")] : []),
    ...(advice > 0 ? [`${advice} of advice`] : []),
    `${wording} of wording`,
  ];
  const sum = `${breaking} breaking${declared}, ${plural(additions, "addition")}, ${others.join(", ")}`;
  return `${folder} since ${base.commit.slice(0, 10)} (${base.why})\n\n${chapters.join("\n")}${chapters.length > 0 ? "\n" : ""}${sum}\n`;
}

function documentText(document: ComparedDocument, folder: string): string {
  const { base, revision } = document.version;
  const version = base === revision ? (base ?? "") : `${base} -> ${revision}`;
  const shown = document.changes.filter(({ kind }) => kind !== "wording");
  const order = (kind: Change["kind"]) => shown.filter((change) => change.kind === kind);
  const lines = (["breaking", "addition", "notice", "advice"] as const)
    .flatMap(order)
    .map((change) => changeText(change, folder));
  const wording = document.changes.length - shown.length;
  const rest = wording > 0 ? [`  ${wording} of wording`] : [];
  const note = versionText(document, folder);
  return [`${document.document}  ${version}`.trimEnd(), ...lines, ...rest, ...note].join("\n");
}

const NAMES: Readonly<Record<Party, string>> = {
  providers: "providers",
  platform: "the platform",
  operators: "callers of the operations API",
  candidates: "candidates with a link",
};

function changeText({ kind, breaks, place, message, advice, file, line }: Change, folder: string): string {
  if (kind === "advice") return `  advice    to providers, ${place}: ${message}`;
  if (kind !== "breaking") return `  ${kind.padEnd(8)}  ${place}: ${message}`;
  const whom = breaks.map((party) => NAMES[party]).join(" and ");
  return [
    `  BREAKING  for ${whom}: ${place}`,
    `            ${message}`,
    `            at ${folder}/${file}:${line}`,
    `            -> ${advice}`,
  ].join("\n");
}

function versionText(document: ComparedDocument, folder: string): string[] {
  const verdict = versionVerdict(document);
  const file = `${folder}/${document.document}`;
  switch (verdict.kind) {
    case "fits":
      return [];
    case "addition-not-declared":
      return [`  note: additions are a new minor version: set info.version to ${verdict.version} in ${file}`];
    case "gone":
      return [`  not declared: restore ${file}, with "deprecated: true" at every operation`];
    case "undeclared":
      return [
        `  not declared: fix the breaking changes, or set info.version to ${verdict.version} in ${file}. A new major`,
        "  has a separate path; the old one stays for 12 months, with Deprecation and Sunset headers.",
      ];
    default:
      return verdict satisfies never;
  }
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

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
