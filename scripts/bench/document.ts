import { goalsMarkdown } from "./goals.ts";
import type { Figures, Section } from "./section.ts";
import { markdownOf, type Table } from "./table.ts";

/** One whole run. */
export interface Report {
  machine: readonly string[];
  /** `2026-11-21`. */
  date: string;
  isQuick: boolean;
  minutes: number;
  sections: readonly { section: Pick<Section, "title">; tables: readonly Table[] }[];
  figures: Figures;
}

/** BENCHMARKS.md. */
export function documentOf({ machine, date, isQuick, minutes, sections, figures }: Report): string {
  const chapters = sections.map(({ section, tables }) =>
    [`## ${section.title}`, ...tables.map((table) => markdownOf(table).trimEnd())].join("\n\n"),
  );
  const command = isQuick ? "npm run bench -- --quick --write" : "npm run bench";
  return `${[
    "# Benchmarks",
    `Written by \`${command}\`, ${date}, in ${Math.round(minutes)} minutes; do not edit. Figures depend on the machine: compare ratios, and run it on yours.`,
    machine.map((line) => `- ${line}`).join("\n"),
    READING,
    "## What was promised",
    goalsMarkdown(figures),
    ELSEWHERE,
    ...chapters,
  ].join("\n\n")}\n`;
}

const READING = `Whoever is compared takes turns, round after round. A figure is the median of the rounds; a ratio is that of the medians, with the least and the greatest ratio
of one round in brackets. Each server is a process of its own and the load comes from another one, on the same machine.`;

const ELSEWHERE = `What is no matter of speed is shown elsewhere: \`npm run chaos\` kills the platform at random moments and counts what is lost or doubled,
\`npm run test:proofs\` holds the verification kit against every fault and dialect, \`npm test\` says how long it took.`;
