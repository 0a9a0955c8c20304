import type { Finding } from "./check.ts";
import type { Load } from "./load.ts";
import type { ChaosReport } from "./options.ts";
import type { Target } from "./target.ts";

/** Returns the faults and their results: a line for each kind, a column for each engine. */
export function tableOf(reports: ReadonlyMap<string, ChaosReport>): string[] {
  const all = [...reports.values()];
  const names = (of: (report: ChaosReport) => ReadonlyMap<string, number>) => [
    ...new Set(all.flatMap((report) => [...of(report).keys()].sort())),
  ];
  const counts = (of: (report: ChaosReport) => ReadonlyMap<string, number>) =>
    names(of).map((name) => [name, ...all.map((report) => of(report).get(name) ?? 0)]);
  const found = (kind: string) =>
    all.map(({ findings }) => findings.filter((finding) => finding.kind === kind).length);
  return aligned([
    ["injected", ...reports.keys()],
    ["SIGKILLs of the platform", ...all.map(({ kills }) => kills)],
    ...counts(({ faults }) => faults).map(([name, ...cells]) => [`fault: ${name}`, ...cells]),
    ...counts(({ mailOutages }) => mailOutages).map(([name, ...cells]) => [`mail outage: ${name}`, ...cells]),
    ...counts(({ done }) => done),
    ["webhooks acknowledged", ...all.map(({ acknowledged }) => acknowledged)],
    ...counts(({ answers }) => answers).map(([name, ...cells]) => [`malformed, response ${name}`, ...cells]),
    ["outcome", ...reports.keys()],
    ["jobs created", ...all.map(({ jobs }) => jobs)],
    ["bookings confirmed", ...all.map(({ confirmed }) => confirmed)],
    ["mails accepted", ...all.map(({ mails }) => mails)],
    ["mail outages", ...all.map(({ mailOutages }) => sumOf(mailOutages))],
    ["provider's own people, on both sides", ...all.map(({ ownPeople }) => ownPeople)],
    ...(all.some(({ failovers }) => failovers.length > 0)
      ? [["ready after a failover, ms, median and most", ...all.map(({ failovers }) => spreadOf(failovers))]]
      : []),
    ["lost", ...found("lost")],
    ["doubled", ...found("doubled")],
    ["disagreeing", ...found("disagreeing")],
    ["too few", ...found("too few")],
    ["5xx on malformed requests", ...found("5xx")],
    ["memory, MB, first to last", ...all.map(({ memory }) => memoryOf(memory))],
  ]);
}

const sumOf = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((sum, count) => sum + count, 0);

function spreadOf(times: readonly number[]): string {
  const sorted = times.map(Math.round).sort((left, right) => left - right);
  return `${sorted[Math.floor(sorted.length / 2)] ?? "-"} ${sorted.at(-1) ?? "-"}`;
}

function memoryOf(memory: readonly number[]): string {
  const [first, middle, last] = [0, memory.length / 2, memory.length - 1].map((at) =>
    Math.round(memory[Math.floor(at)] ?? 0),
  );
  return `${first} ${middle} ${last}`;
}

function aligned(rows: readonly (readonly (string | number)[])[]): string[] {
  const texts = rows.map((row) =>
    row.map((cell) => (typeof cell === "number" ? cell.toLocaleString("en") : cell)),
  );
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => row[column]?.length ?? 0)),
  );
  return texts.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("  "),
  );
}

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
