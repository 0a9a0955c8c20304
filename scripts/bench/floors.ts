import type { Figures } from "./table.ts";

/** A ratio of one run, and its least allowed value. Greater is better. */
export interface Floor {
  /** The name of the figure, which begins with the section's. */
  figure: string;
  what: string;
  least: number;
}

const floor = (figure: string, least: number, what: string): Floor => ({ figure, what, least });

/**
 * Each floor is at most half of the measured ratio, because build machines are busy and quick runs are short: a ratio below its floor means a
 * regression, not a busy machine. Floors are never absolute times.
 */
export const floors: readonly Floor[] = [
  floor(
    "acknowledgement.postgres.ratio",
    0.22,
    "webhooks a second on PostgreSQL, against Express 5 that stores nothing",
  ),
  floor(
    "acknowledgement.postgres.job-each.ratio",
    2,
    "webhooks a second on PostgreSQL, against a pg-boss job each",
  ),
  floor(
    "acknowledgement.pglite.ratio",
    0.15,
    "webhooks a second embedded, against Express 5 that stores nothing",
  ),
  floor("flow.many.ratio", 0.4, "events a second with more organisations, against 20"),
  floor("flow.many.idle.ratio", 0.3, "speed of a job with 20 organisations, against more"),
  floor("flow.stored.ratio", 0.4, "events a second with many events stored, against none"),
  floor("flow.stored.idle.ratio", 0.3, "speed of a job with no events stored, against many"),
  floor("flow.hanging.ratio", 0.2, "speed of a job without a hanging organisation, against with one"),
  floor("organisations.cpu.ratio", 0.45, "CPU of an event with 20 organisations, against many"),
  floor("stub.read.ratio", 0.55, "CPU of plain Express 5, against the validating stub, reading"),
  floor("stub.write.ratio", 0.55, "the same, writing"),
  floor(
    "stub.validator.read.ratio",
    1.2,
    "CPU of express-openapi-validator, against the validating stub, reading",
  ),
  floor("stub.validator.write.ratio", 1.1, "the same, writing"),
  floor("kit.found.ratio", 1, "faults that the kit found, of those that were planted"),
  floor("kit.pact.ratio", 1, "faults that the kit found, against Pact's verifier alone"),
];

/** Returns one line for each ratio that is below its floor, or that a section should have measured and did not. */
export function belowFloor(
  figures: Figures,
  sections: readonly string[],
  all: readonly Floor[] = floors,
): string[] {
  return all.flatMap(({ figure, what, least }) => {
    if (!sections.includes(figure.split(".")[0] ?? "")) return [];
    const ratio = figures[figure];
    if (ratio !== undefined && ratio >= least) return [];
    const is = ratio === undefined ? "was not measured" : `is ${ratio.toFixed(2)}, below its floor ${least}`;
    return [`${figure} ${is}: ${what}`];
  });
}
