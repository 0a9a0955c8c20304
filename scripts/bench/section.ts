import type { Resources } from "./resources.ts";
import type { Table } from "./table.ts";

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
