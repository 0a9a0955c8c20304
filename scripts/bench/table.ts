import type { Resources } from "./machine.ts";
import type { Ratio } from "./statistics.ts";

/** A table of the report. Each row has an anchor. */
export interface Table {
  title: string;
  /** The method, and how to read the figures. */
  about: string;
  head: readonly string[];
  rows: readonly Row[];
}

export interface Row {
  /** `acknowledgement-postgres-shiftpact`: an anchor in the document. */
  id: string;
  cells: readonly string[];
}

/** Returns GitHub Markdown. */
export function markdownOf({ title, about, head, rows }: Table): string {
  const lines = [head, head.map(() => "---"), ...rows.map(anchored)];
  const table = lines.map((cells) => `| ${cells.map(escaped).join(" | ")} |`).join("\n");
  return `### ${title}\n\n${about}\n\n${table}\n`;
}

const anchored = ({ id, cells: [first = "", ...rest] }: Row) => [`<a id="${id}"></a>${first}`, ...rest];

const escaped = (cell: string) => cell.replaceAll("|", "\\|").replaceAll("\n", " ");

/** Returns text for a terminal. */
export function textOf({ title, head, rows }: Table): string {
  const lines = [head, ...rows.map(({ cells }) => cells)];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const padded = lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return [title, ...padded.map((line) => `  ${line}`)].join("\n");
}

const GROUPS = /\B(?=(\d{3})+$)/g;

/** Returns three significant digits: 12,345, 123, 12.3, 1.23, 0.0123. */
export function shown(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 100) return String(Math.round(value)).replaceAll(GROUPS, ",");
  return value === 0 ? "0" : String(Number(value.toPrecision(3)));
}

/** `1.44 (1.31 to 1.52)`. */
export function shownRatio({ ratio, low, high }: Ratio): string {
  return low === high ? ratio.toFixed(2) : `${ratio.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`;
}

/** One topic of the benchmark. */
export interface Section {
  name: string;
  title: string;
  /** npm packages whose versions decide the figures. */
  packages: readonly string[];
  /** The figures depend on the PostgreSQL server of the resources, too. */
  usesServer?: true;
  /** Takes long: it runs only when it is named. */
  isApart?: true;
  run(setting: Setting): Promise<SectionResult>;
}

export interface Setting {
  resources: Resources;
  /** Measures every figure once and briefly, too short to compare. */
  quick: boolean;
  /** Reports each step on stderr. */
  report(line: string): void;
}

export interface SectionResult {
  tables: readonly Table[];
  /** The figures that goals and floors refer to, by name: `acknowledgement.postgres.ratio`. */
  figures: Figures;
}

export type Figures = Readonly<Record<string, number>>;
