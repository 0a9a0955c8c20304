import { goalsMarkdown } from "./goals.ts";
import { type Figures, markdownOf, type Section, type Table } from "./table.ts";

/** The result of one run of one section. */
export interface Measured {
  section: Pick<Section, "name" | "title">;
  /** One sentence: the date, the duration, and the machine. */
  conditions: string;
  tables: readonly Table[];
  figures: Figures;
}

/** One section of BENCHMARKS.md. */
interface DocumentSection {
  name: string;
  markdown: string;
  figures: Figures;
}

/**
 * Returns BENCHMARKS.md with the measured sections in place of their previous versions, in the order of `names`; the other sections
 * of `previous` are kept. A section that is not in `names` is dropped.
 */
export function benchmarksDocument(
  previous: string,
  measured: readonly Measured[],
  names: readonly string[],
): string {
  const latest = new Map([...sectionsIn(previous), ...measured.map(sectionOf)].map((it) => [it.name, it]));
  const sections = names.flatMap((name) => latest.get(name) ?? []);
  const figures: Figures = Object.assign({}, ...sections.map((section) => section.figures));
  return [
    INTRODUCTION,
    `## Targets\n\n${goalsMarkdown(figures)}`,
    ELSEWHERE,
    ...sections.map(({ markdown }) => markdown),
  ]
    .map((part) => `${part.trim()}\n`)
    .join("\n");
}

function sectionOf({ section, conditions, tables, figures }: Measured): DocumentSection {
  const { name, title } = section;
  const parts = [`## ${title}`, commentOf({ name, figures }), conditions, ...tables.map(markdownOf)];
  return { name, figures, markdown: parts.map((part) => part.trim()).join("\n\n") };
}

/** Returns a comment with the figures: the targets are compared again when another section is measured. */
const commentOf = (record: Pick<DocumentSection, "name" | "figures">) =>
  `<!-- measured ${JSON.stringify(record)} -->`;
const COMMENT = /^<!-- measured (\{.*\}) -->$/m;

function sectionsIn(document: string): DocumentSection[] {
  return document.split(/^(?=## )/m).flatMap((markdown) => {
    const [, record] = COMMENT.exec(markdown) ?? [];
    return record === undefined ? [] : [{ ...JSON.parse(record), markdown }];
  });
}

const INTRODUCTION = `# Benchmarks

Written by \`npm run bench\`; do not edit. Figures depend on the machine: compare ratios, and run it on yours. Each section says when and where it was measured.

Contenders take turns, round after round. A figure is the median of the rounds; a ratio is the ratio of the medians, followed by the least and the greatest ratio
of one round in brackets. Each server is a separate process, and the load comes from another process on the same machine.`;

const ELSEWHERE = `Other properties are verified elsewhere: \`npm run chaos\` kills the platform at random moments and counts lost events and doubled effects,
\`npm run test:proofs\` runs the verification kit against every fault and dialect, and \`npm test\` reports how long it took.`;
