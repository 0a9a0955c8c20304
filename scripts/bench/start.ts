import { startPlatform } from "./organisations.ts";
import type { Section, SectionResult, Setting } from "./section.ts";
import { median } from "./statistics.ts";
import { shown } from "./table.ts";

export const start: Section = {
  name: "start",
  title: "Start",
  packages: ["@electric-sql/pglite"],
  run: async (setting) => {
    const { first, later } = await timesOf(setting);
    const rows = [
      { id: "start-first", cells: ["on an empty data folder", shown(first)] },
      { id: "start-later", cells: ["on an existing one", shown(median(later))] },
    ];
    const about =
      "The platform with its embedded database, from the start of the process until it listens; TypeScript is compiled meanwhile.";
    return {
      tables: [{ title: "Until the platform listens", about, head: ["start", "seconds"], rows }],
      figures: { "start.first": first, "start.seconds": median(later) },
    } satisfies SectionResult;
  },
};

/** Returns the times in seconds. Each process is killed, so the next one starts after a crash. */
async function timesOf({ resources, quick, report }: Setting) {
  const dataDir = await resources.folder("platform");
  const once = async () => {
    const begun = performance.now();
    const { child } = await startPlatform(resources, { dataDir });
    const seconds = (performance.now() - begun) / 1_000;
    await child.end();
    return seconds;
  };
  report("first start");
  const first = await once();
  const later: number[] = [];
  for (let round = 1; round <= (quick ? 1 : 5); round += 1) {
    report(`later start, round ${round}`);
    later.push(await once());
  }
  return { first, later };
}
