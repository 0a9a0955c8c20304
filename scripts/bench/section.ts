import type { Ground } from "./ground.ts";
import type { Table } from "./table.ts";

/** One topic of the benchmark. */
export interface Section {
  name: string;
  title: string;
  /** npm packages whose versions decide the figures. */
  packages: readonly string[];
  /** Takes long: measured only when it is named. */
  isApart?: true;
  run(setting: Setting): Promise<Findings>;
}

export interface Setting {
  ground: Ground;
  /** Measure every figure once, in seconds, instead of long enough to trust it. */
  quick: boolean;
  /** Reports each step on stderr. */
  say(line: string): void;
}

export interface Findings {
  tables: readonly Table[];
  /** The figures that goals and floors refer to, by name: `acknowledgement.postgres.ratio`. */
  figures: Figures;
}

export type Figures = Readonly<Record<string, number>>;
