import { sql } from "kysely";
import type { Database } from "../../src/platform/db/database.ts";
import { newId } from "../../src/platform/ids.ts";
import { Agenda } from "../../src/platform/work/agenda.ts";
import { claimWork } from "../../src/platform/work/claims.ts";
import { releaseClaims } from "../../src/platform/work/rows.ts";
import { withDatabase } from "./database.ts";
import { type Deployment, type Pipelined, pipeline, startDeployment, startProvider } from "./deployment.ts";
import { newDatabase } from "./organisations.ts";
import { alternate, median, ratioOf } from "./statistics.ts";
import {
  type Row,
  type Section,
  type SectionResult,
  type Setting,
  shown,
  shownRatio,
  type Table,
} from "./table.ts";

/** Compares a platform with many organisations, of which a part is busy, with one of 20. */
export const organisations: Section = {
  name: "organisations",
  title: "With many organisations",
  packages: ["pg", "kysely"],
  usesServer: true,
  run: async (setting) => {
    const sizes = sizesOf(setting);
    const provider = await startProvider(setting.resources);
    const start = async ({ busy, silent }: Size) => {
      setting.report(`starting a platform with ${busy} busy organisations and ${shown(silent)} silent ones`);
      const store = await newDatabase(setting.resources);
      const deployment = await startDeployment(setting.resources, { store, provider, organisations: busy });
      await withDatabase(store, (database) => addSilent(database, silent));
      return deployment;
    };
    const few = await start(sizes.few);
    const many = await start(sizes.many);
    const flows = await measureFlows(setting, { few, many });
    await Promise.all([few.end(), many.end(), provider.end()]);
    const claims = { few: await measureClaims(setting, few), many: await measureClaims(setting, many) };
    return resultOf(sizes, flows, claims);
  },
};

interface Size {
  busy: number;
  silent: number;
}

interface Sizes {
  few: Size;
  many: Size;
  rounds: number;
  events: number;
}

const sizesOf = ({ quick }: Setting): Sizes => ({
  few: { busy: 20, silent: 0 },
  ...(quick
    ? { many: { busy: 25, silent: 475 }, rounds: 1, events: 150 }
    : { many: { busy: 100, silent: 4_900 }, rounds: 3, events: 3_000 }),
});

/** Adds copies of an organisation, each with shifts that are read again tomorrow. */
async function addSilent({ kysely }: Database, count: number): Promise<void> {
  await sql`
    with added as (
      insert into integrations (provider_id, kind, name, base_url, provider_token, state)
      select gen_random_uuid(), kind, name, base_url, provider_token, state
      from (select * from integrations limit 1) as one cross join generate_series(1, ${count}::int)
      returning provider_id)
    insert into work (provider_id, kind, key, priority, is_first, due_at)
    select provider_id, 'shift', 'shift' || nth, 2, false, now() + interval '1 day'
    from added cross join generate_series(1, 4) as nth`.execute(kysely);
  await sql`analyze integrations, work`.execute(kysely);
}

type Turns<T> = Record<"few" | "many", T>;

async function measureFlows(setting: Setting, deployments: Turns<Deployment>): Promise<Turns<Pipelined[]>> {
  const { rounds, events } = sizesOf(setting);
  // The first events only compile the code.
  for (const deployment of Object.values(deployments)) await pipeline(deployment, Math.ceil(events / 3));
  const turns = {
    few: () => pipeline(deployments.few, events),
    many: () => pipeline(deployments.many, events),
  };
  return alternate(turns, rounds, (name, round) =>
    setting.report(`${name} organisations: round ${round} of ${rounds}`),
  );
}

/** The times of claims. Milliseconds. */
interface Claims {
  idle: number[];
  busy: number[];
}

/** Rows of one claim. */
const PLACES = 100;

/** Measures claims on the database of a platform that has ended. */
function measureClaims({ quick }: Setting, { store, organisations }: Deployment): Promise<Claims> {
  const times = quick ? 10 : 100;
  return withDatabase(store, async (database) => {
    const [agenda, claims]: [Agenda, Claims] = [new Agenda(), { idle: [], busy: [] }];
    const claim = async () => {
      agenda.expire();
      const begun = performance.now();
      const providers = await agenda.take(database, () => true);
      const wanted = {
        kinds: ["shift"] as const,
        places: PLACES,
        perProvider: PLACES,
        providers,
        claim: newId(),
      };
      const claimed = await claimWork(database, wanted);
      return { ms: performance.now() - begun, claimed: claimed.claims };
    };
    for (let nth = 0; nth < times; nth += 1) claims.idle.push((await claim()).ms);
    await addDue(
      database,
      organisations.map(({ providerId }) => providerId),
    );
    for (let nth = 0; nth < times; nth += 1) {
      const { ms, claimed } = await claim();
      if (claimed.length !== PLACES)
        throw new Error(`a claim has ${claimed.length} rows instead of ${PLACES}`);
      claims.busy.push(ms);
      await releaseClaims(database, claimed);
    }
    return claims;
  });
}

/** Makes ten shifts of each organisation due. */
async function addDue({ kysely }: Database, providerIds: readonly string[]): Promise<void> {
  await sql`
    insert into work (provider_id, kind, key, priority)
    select provider_id::uuid, 'shift', 'due' || nth, 1
    from json_array_elements_text(${JSON.stringify(providerIds)}::json) as busy (provider_id)
      cross join generate_series(1, 10) as nth`.execute(kysely);
  await sql`analyze work`.execute(kysely);
}

function resultOf(sizes: Sizes, flows: Turns<Pipelined[]>, claims: Turns<Claims>): SectionResult {
  const cpuOf = (all: readonly Pipelined[]) =>
    all.map(({ serverCpu, databaseCpu }) => serverCpu + databaseCpu);
  const cpu = ratioOf(cpuOf(flows.many), cpuOf(flows.few));
  const row = (name: "few" | "many"): Row => {
    const of = (figure: keyof Pipelined) => shown(median(flows[name].map((each) => each[figure])));
    const { busy, silent } = sizes[name];
    return {
      id: `organisations-${name}`,
      cells: [
        `${shown(busy + silent)} organisations, ${busy} of them busy`,
        shown(median(claims[name].idle)),
        shown(median(claims[name].busy)),
        of("rate"),
        of("serverCpu"),
        of("databaseCpu"),
        name === "few" ? "" : shownRatio(cpu),
      ],
    };
  };
  return {
    tables: [tableOf(sizes, [row("few"), row("many")])],
    figures: {
      "organisations.claim.idle": median(claims.many.idle),
      "organisations.claim.busy": median(claims.many.busy),
      "organisations.cpu": cpu.ratio,
      "organisations.cpu.ratio": 1 / cpu.ratio,
    },
  };
}

const tableOf = ({ events }: Sizes, rows: readonly Row[]): Table => ({
  title: "With many organisations",
  about: `A claim, with the search for due work: medians, idle, and with ten due shifts at each busy organisation, of which it claims ${PLACES}.
Events: ${shown(events)} webhooks of the busy organisations as fast as they are accepted, until the platform is idle. The other organisations have shifts that are due tomorrow.`,
  head: [
    "where",
    "ms a claim: idle",
    "busy",
    "events a second",
    "CPU ms an event: platform",
    "PostgreSQL",
    "both, against the first row",
  ],
  rows,
});
