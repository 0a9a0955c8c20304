import type { Verification } from "../events.ts";
import { counted, coverageTable, formsInWords, incompleteInWords, limitedInWords } from "./report-content.ts";
import { type Page, together } from "./terminal.ts";

/** What was found out of the provider's forms, in one sentence. */
export function writeForms({ forms }: Verification, page: Page): void {
  const words = formsInWords(forms).map(([name, value]) => together(`${name}: ${value}`));
  page.write("");
  page.write(page.paint("bold", "Dialect"));
  page.paragraph(words.length === 0 ? "none could be found out" : words.join("; "), 2);
}

/** How often each operation was answered with each status. */
export function writeCoverage({ coverage }: Verification, page: Page): void {
  const { statuses, rows } = coverageTable(coverage);
  const callWidth = Math.max(...rows.map(({ call }) => call.length));
  const widths = statuses.map((status, column) =>
    Math.max(status.length, ...rows.map(({ counts }) => String(counts[column]).length)),
  );
  const row = (name: string, cells: readonly string[]) =>
    `${name.padEnd(callWidth + 2)} ${cells.map((cell, column) => ` ${cell.padStart(widths[column] ?? 0)}`).join("")}`;
  page.write("");
  page.write(page.paint("bold", row("Answers by status", statuses)));
  for (const { call, counts } of rows) {
    page.write(
      row(
        `  ${call}`,
        counts.map((count) => (count === 0 ? "·" : String(count))),
      ),
    );
  }
}

/** The last line of the report. */
export function writeSummary(verification: Verification, page: Page): void {
  const { summary, requests, duration, seed, limited } = verification;
  const { verdict, errors, warnings, skipped, checks } = summary;
  const parts = [
    counted(errors, "error"),
    counted(warnings, "warning"),
    `${skipped} skipped`,
    counted(checks, "check"),
    counted(requests, "request"),
    `${(duration / 1000).toFixed(1)} s`,
    `seed ${seed}`,
  ];
  page.write("");
  if (limited.waits > 0) page.paragraph(limitedInWords(limited), 0);
  if (verdict === "incomplete") page.paragraph(incompleteInWords(verification), 0);
  const format = ({ conforms: "green", incomplete: "yellow", fails: "red" } as const)[verdict];
  const whole = verification.readOnly ? `${verdict} (read-only)` : verdict;
  page.write(`${page.paint(["bold", format], whole)}: ${parts.join(", ")}`);
}
