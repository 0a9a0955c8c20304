import { readFile } from "node:fs/promises";
import type { Browser, Page } from "playwright-core";
import { buildConsole, launchChromium } from "../../test/harness/chromium.ts";
import { cpuOf } from "./cpu.ts";
import { withDatabase } from "./database.ts";
import { type Deployment, pipeline, startDeployment, startProvider } from "./deployment.ts";
import { fillLists, type Sizes } from "./list-data.ts";
import { type Step, savedOf, stepsOf, take } from "./list-pages.ts";
import { newDatabase, ok } from "./organisations.ts";
import type { Section, SectionResult, Setting } from "./section.ts";
import { median } from "./statistics.ts";
import { shown } from "./table.ts";

/** Measures the lists of the console in a browser. */
export const lists: Section = {
  name: "lists",
  title: "Lists of the console",
  packages: ["pg", "express", "preact", "playwright-core"],
  usesServer: true,
  run: async (setting) => {
    const { resources, quick, report } = setting;
    const sizes: Sizes = quick
      ? { jobs: 2_000, people: 2_000, outlets: 500 }
      : { jobs: 20_000, people: 20_000, outlets: 5_000 };
    const folder = await resources.folder("console");
    await buildConsole(folder);
    const [store, provider] = [await newDatabase(resources), await startProvider(resources)];
    const settings = { CONSOLE_FOLDER: folder };
    const deployment = await startDeployment(resources, { store, provider, organisations: 1, settings });
    await pipeline(deployment, 10);
    report(`${shown(sizes.jobs)} jobs, ${shown(sizes.people)} people, ${shown(sizes.outlets)} outlets`);
    const steps = await fill(deployment, sizes);
    const browser = await launchChromium();
    resources.onClear(() => browser.close());
    const measured = await measure(setting, browser, deployment, steps);
    const saved = await save(setting, browser, deployment, sizes);
    await browser.close();
    await Promise.all([deployment.end(), provider.end()]);
    return resultOf(sizes, measured, saved);
  },
};

async function fill(
  { platform: { operations }, store, organisations }: Deployment,
  sizes: Sizes,
): Promise<Step[]> {
  const { competenceId } = ok(await operations.createCompetence({ body: { name: "Cook" } }));
  const [person] = ok(await operations.listCandidates({ params: { query: { limit: 1 } } })).items;
  const [{ providerId } = { providerId: "" }] = organisations;
  await withDatabase(store, (database) =>
    fillLists(database, { providerId, competenceId, candidateId: person?.candidateId ?? "" }, sizes),
  );
  const open = { query: { status: "open", competenceId, limit: 1 } } as const;
  const [job] = ok(await operations.listJobs({ params: open })).items;
  for (const nth of [1, 2, 3])
    ok(await operations.createOperator({ body: { name: `Operator ${nth}`, role: "viewer" } }));
  const { name: organisation } = ok(await operations.getIntegration({ params: { path: { providerId } } }));
  const { jobId = "", outletName: outlet = "" } = job ?? {};
  return stepsOf({ providerId, organisation, jobId, outlet, people: sizes.people });
}

interface Measured {
  what: string;
  times: number[];
  /** Of the page, the platform and the database together. */
  cpu: number[];
  nodes: number;
}

async function measure(
  { quick, report }: Setting,
  browser: Browser,
  deployment: Deployment,
  steps: readonly Step[],
): Promise<Measured[]> {
  const measured = steps.map(({ what }): Measured => ({ what, times: [], cpu: [], nodes: 0 }));
  // The first round only compiles the code and fills the caches.
  for (let round = 0; round <= (quick ? 2 : 5); round += 1) {
    report(round === 0 ? "first round" : `round ${round}`);
    const page = await visit(browser, deployment);
    for (const [at, step] of steps.entries()) {
      const before = await cpuOfAll(page, deployment);
      const { ms, nodes } = await take(page, step);
      const cpu = (await cpuOfAll(page, deployment)) - before;
      const each = measured[at];
      if (!each || round === 0) continue;
      each.times.push(ms);
      each.cpu.push(cpu);
      each.nodes = nodes;
    }
    await page.context().close();
  }
  return measured;
}

/** A window that is signed in, on a page without a list. */
async function visit(browser: Browser, { url, platform }: Deployment, path = "no-such-page"): Promise<Page> {
  const window = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  window.setDefaultTimeout(0);
  // The names of functions, which tsx keeps with a call that the page does not have.
  await window.addInitScript("globalThis.__name = (named) => named");
  const page = await window.newPage();
  await page.goto(`${url}/console/${path}#token=${platform.operationsToken}`);
  await page.getByText("Live", { exact: true }).waitFor();
  return page;
}

/** The CPU time so far. Milliseconds. */
async function cpuOfAll(page: Page, { platform, databasePids }: Deployment): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable");
  const { metrics } = await session.send("Performance.getMetrics");
  await session.detach();
  const ofPage = metrics.find(({ name }) => name === "ProcessTime")?.value ?? Number.NaN;
  return ofPage * 1_000 + ((await platform.child.cpu()) + cpuOf(databasePids())) / 1_000;
}

interface Saved {
  what: string;
  ms: number;
  rows: number;
}

async function save(
  { report }: Setting,
  browser: Browser,
  deployment: Deployment,
  sizes: Sizes,
): Promise<Saved[]> {
  const saved: Saved[] = [];
  for (const [what, path, wanted] of savedOf(sizes)) {
    report(`CSV of ${what}`);
    const page = await visit(browser, deployment, path);
    const button = page.getByRole("button", { name: "Save as CSV" });
    await button.waitFor();
    const begun = performance.now();
    const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
    const ms = performance.now() - begun;
    const lines = (await readFile(await download.path(), "utf8")).split("\r\n");
    // One is the head, and the last is empty.
    const rows = lines.length - 2;
    if (wanted !== undefined && rows < wanted)
      throw new Error(`${what}: ${rows} of ${wanted} rows are saved`);
    saved.push({ what, ms, rows });
    await page.context().close();
  }
  return saved;
}

function resultOf(
  { jobs, people, outlets }: Sizes,
  measured: readonly Measured[],
  saved: readonly Saved[],
): SectionResult {
  const worst = ({ times }: Measured) => Math.max(...times);
  const idOf = (what: string) => what.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return {
    tables: [
      {
        title: "Time to the rows",
        about: `${shown(jobs)} jobs, ${shown(people)} people and ${shown(outlets)} outlets of one organisation. From the click on a link, or the entry of a text, until the rows are painted in Chromium, in a window that
is open already. Milliseconds; a search while typing waits 200 ms for the next key, which count too. The CPU time is that of the page, the platform and the database together: beside other work it says
more than the time on the clock.`,
        head: ["list", "median ms", "worst ms", "CPU ms, median", "nodes of the page"],
        rows: measured.map((each) => ({
          id: `lists-${idOf(each.what)}`,
          cells: [
            each.what,
            shown(median(each.times)),
            shown(worst(each)),
            shown(median(each.cpu)),
            shown(each.nodes),
          ],
        })),
      },
      {
        title: "Save as CSV",
        about: "Every row that the list finds, until the file is there.",
        head: ["list", "rows", "seconds"],
        rows: saved.map(({ what, rows, ms }) => ({
          id: `lists-csv-${idOf(what)}`,
          cells: [what, shown(rows), shown(ms / 1_000)],
        })),
      },
    ],
    figures: { "lists.worst": Math.max(...measured.map(({ times }) => median(times))) },
  };
}
