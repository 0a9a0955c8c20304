import type { Ground } from "./ground.ts";
import type { Table } from "./table.ts";

/** One topic of the benchmark. */
export interface Section {
  name: string;
  title: string;
  /** Takes long: measured only when it is named. */
  isApart?: true;
  run(setting: Setting): Promise<Findings>;
}

export interface Setting {
  ground: Ground;
  /** A taste of everything, in seconds. */
  quick: boolean;
  /** Told of each step. */
  say(line: string): void;
}

export interface Findings {
  tables: readonly Table[];
  /** What goals and floors speak of, by name: `acknowledgement.postgres.ratio`. */
  figures: Figures;
}

export type Figures = Readonly<Record<string, number>>;
