import type { Finding } from "./check.ts";
import type { Load } from "./load.ts";
import type { ChaosReport } from "./options.ts";
import type { Target } from "./target.ts";

const MOST_GROWTH_MEGABYTES = 150;

/** Compares the memory over the second half, when all code is compiled and every pool is full. */
export function growthOf(memory: readonly number[]): Finding[] {
  const later = memory.slice(Math.floor(memory.length / 2));
  const grown = Math.round((later.at(-1) ?? 0) - (later[0] ?? 0));
  if (grown < MOST_GROWTH_MEGABYTES) return [];
  return [{ kind: "growing", what: `${grown} MB more within the second half of the malformed requests` }];
}

export const crashesOf = (targets: readonly Target[]): Finding[] =>
  targets.flatMap(({ crashes }) =>
    crashes.map((crash) => ({ kind: "lost", what: `the platform ended unexpectedly: ${crash}` }) as const),
  );

export const fewerThan = (wanted: number, count: number, name: string): Finding[] =>
  count < wanted ? [{ kind: "too few", what: `${count} of ${wanted} ${name} within the time` }] : [];

export function totalsOf(loads: readonly Load[]): Pick<ChaosReport, "done" | "acknowledged"> {
  const done = new Map<string, number>();
  for (const { record } of loads) {
    for (const [what, count] of record.done) done.set(what, (done.get(what) ?? 0) + count);
  }
  const acknowledged = loads.reduce((sum, { organisation, record }) => {
    const delivered = organisation.provider.deliveries.filter(({ delivery }) => delivery?.delivered);
    return sum + delivered.length + record.events.length;
  }, 0);
  return { done, acknowledged };
}
