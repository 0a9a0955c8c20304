import type { Summary, Verification } from "../events.ts";
import { counted, coverageTable, formLabels, notesOf } from "./report-content.ts";
import { type Terminal, together } from "./terminal.ts";

export function writeForms({ forms }: Verification, terminal: Terminal): void {
  const words = formLabels(forms).map(([name, value]) => together(`${name}: ${value}`));
  terminal.heading("Dialect");
  terminal.paragraph(words.length === 0 ? "not detected" : words.join("; "), 2);
}

export function writeCoverage({ coverage }: Verification, terminal: Terminal): void {
  const { statuses, rows } = coverageTable(coverage);
  const callWidth = Math.max(...rows.map(({ call }) => call.length));
  const widths = statuses.map((status, column) =>
    Math.max(status.length, ...rows.map(({ counts }) => String(counts[column]).length)),
  );
  const row = (name: string, cells: readonly string[]) =>
    `${name.padEnd(callWidth + 2)} ${cells.map((cell, column) => ` ${cell.padStart(widths[column] ?? 0)}`).join("")}`;
  terminal.heading(row("Responses by status", statuses));
  for (const { call, counts } of rows) {
    const cells = counts.map((count) => (count === 0 ? "·" : String(count)));
    terminal.write(row(`  ${call}`, cells));
  }
}

export function writeSummary(verification: Verification, terminal: Terminal): void {
  const { summary, requests, duration, seed, readOnly } = verification;
  const more = [counted(requests, "request"), `${(duration / 1000).toFixed(1)} s`, `seed ${seed}`];
  terminal.write("");
  for (const note of notesOf(verification)) terminal.paragraph(note, 0);
  terminal.write(summaryLine(summary, more, terminal, readOnly ? " (read-only)" : ""));
}

const COLOURS = { conforms: "green", incomplete: "yellow", fails: "red" } as const;

/** Returns the verdict and its counts: `fails: 1 error, 0 warnings, 2 skipped, 30 checks`. */
export function summaryLine(
  { verdict, errors, warnings, skipped, checks }: Summary,
  more: readonly string[],
  { paint }: Terminal,
  mode = "",
): string {
  const counts = [counted(errors, "error"), counted(warnings, "warning"), `${skipped} skipped`];
  const parts = [...counts, counted(checks, "check"), ...more];
  return `${paint(["bold", COLOURS[verdict]], verdict + mode)}: ${parts.join(", ")}`;
}
