import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "kysely";
import type { Database } from "../../src/platform/db/database.ts";
import type { LinkTokens } from "../../src/platform/deps.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { createLinkTokens } from "../../src/platform/links/tokens.ts";
import { openSealedKey } from "../../src/platform/sealed-keys.ts";
import { insertPeople } from "../../test/harness/many-rows.ts";
import { withDatabase } from "./database.ts";
import { type Deployment, pipeline, startDeployment, startProvider } from "./deployment.ts";
import { newDatabase, ok, SECRET_KEY } from "./organisations.ts";
import { acknowledgements, pages } from "./probes.ts";
import type { Section, SectionResult, Setting } from "./section.ts";
import { quantile } from "./statistics.ts";
import { type Row, shown } from "./table.ts";

/** Measures the pages that mails link, while webhooks arrive. */
export const candidates: Section = {
  name: "candidates",
  title: "Candidates' pages",
  packages: ["pg", "kysely", "express"],
  usesServer: true,
  run: async (setting) => {
    const { resources, quick, report } = setting;
    const store = await newDatabase(resources);
    const provider = await startProvider(resources);
    const deployment = await startDeployment(resources, { store, provider, organisations: 20 });
    // Every organisation has some jobs then; and the code is compiled.
    await pipeline(deployment, quick ? 100 : 1_000);
    const people = quick ? 500 : 5_000;
    report(`${shown(people)} candidates with ${OFFERS} offers each`);
    const links = await addCandidates(deployment, people);
    const measured = await measure(setting, deployment, links);
    await Promise.all([deployment.end(), provider.end()]);
    return resultOf(people, measured);
  },
};

/** Of a candidate, unless the organisation has fewer jobs. */
const OFFERS = 10;

/** Of each kind of page, in a second. */
const OPENED = 25;

type Kind = "shift" | "shifts";
const PATHS: Readonly<Record<Kind, string>> = { shift: "/c/", shifts: "/c/shifts/" };

type Links = Readonly<Record<Kind, readonly string[]>>;

/** Adds candidates of a competence for which no webhook asks, with offers of one organisation, and returns their links. */
async function addCandidates({ platform, store }: Deployment, count: number): Promise<Links> {
  const { competenceId } = ok(await platform.operations.createCompetence({ body: { name: "Cook" } }));
  const [first] = ok(await platform.operations.listCandidates({ params: { query: { limit: 1 } } })).items;
  const candidateId = first?.candidateId ?? "";
  return withDatabase(store, async (database) => {
    await insertPeople(database.kysely, { competenceId }, { candidateId, count });
    await addOffers(database, competenceId);
    const vault = createVault(Buffer.from(SECRET_KEY, "base64"), []);
    return linksOf(database, createLinkTokens(await openSealedKey(database, vault, "links")), competenceId);
  });
}

async function addOffers({ kysely }: Database, competenceId: string): Promise<void> {
  await sql`
    insert into notifications (notification_id, provider_id, candidate_id, job_id, kind, change_key, content, trace_id)
    select gen_random_uuid(), provider_id, able.candidate_id, job_id, kind, change_key, content, trace_id
    from (select distinct on (job_id) * from notifications
      where kind = 'job_offered' and provider_id = (select provider_id from notifications limit 1) limit ${OFFERS}::int) as offered
      cross join candidate_competences as able where able.competence_id = ${competenceId}`.execute(kysely);
  await sql`analyze candidates, candidate_competences, notifications`.execute(kysely);
}

/** Returns the links of each candidate: to one of the offers, and to all of them. */
async function linksOf({ kysely }: Database, tokens: LinkTokens, competenceId: string): Promise<Links> {
  const { rows } = await sql<{ providerId: string; notificationId: string; candidateId: string }>`
    select distinct on (candidate_id) provider_id as "providerId", notification_id as "notificationId", candidate_id as "candidateId"
    from notifications join candidate_competences using (candidate_id) where competence_id = ${competenceId}`.execute(
    kysely,
  );
  const pathTo = (kind: Kind, providerId: string, id: string) =>
    PATHS[kind] + tokens.sign(kind, { providerId, id, salt: 0 });
  return {
    shift: rows.map(({ providerId, notificationId }) => pathTo("shift", providerId, notificationId)),
    shifts: rows.map(({ providerId, candidateId }) => pathTo("shifts", providerId, candidateId)),
  };
}

interface Measured extends Record<Kind | "acknowledgement", readonly number[]> {
  perSecond: number;
  seconds: number;
}

async function measure({ quick, report }: Setting, deployment: Deployment, links: Links): Promise<Measured> {
  const { url, organisations } = deployment;
  const [perSecond, seconds] = quick ? [100, 2] : [1_000, 20];
  // The first pages only compile the code.
  const first = Object.values(links).map((all) => pages(url, all.slice(-OPENED), OPENED));
  await sleep(1_000);
  await Promise.all(first.map((each) => each.stop()));
  report(`${shown(perSecond)} webhooks a second for ${seconds} s, and the pages`);
  const acknowledged = acknowledgements(deployment, organisations, perSecond);
  const [shift, shifts] = [pages(url, links.shift, OPENED), pages(url, links.shifts, OPENED)];
  await sleep(seconds * 1_000);
  return {
    perSecond,
    seconds,
    shift: await shift.stop(),
    shifts: await shifts.stop(),
    acknowledgement: await acknowledged.stop(),
  };
}

function resultOf(people: number, { perSecond, seconds, ...times }: Measured): SectionResult {
  const row = (id: string, what: string, all: readonly number[]): Row => ({
    id: `candidates-${id}`,
    cells: [what, ...[0.5, 0.95, 0.99, 1].map((part) => shown(quantile(all, part)))],
  });
  return {
    tables: [
      {
        title: "Candidates' pages",
        about: `${shown(people)} candidates with ${OFFERS} offers each. Webhooks of 20 active organisations are offered at ${shown(perSecond)} a second for ${seconds} s and processed meanwhile, while
${OPENED} candidates a second open a shift for the first time, and as many the list of their shifts. Milliseconds; delays of the sender count too.`,
        head: ["what", "p50 ms", "p95 ms", "p99 ms", "max ms"],
        rows: [
          row("shift", "`GET /c/{token}`, a shift", times.shift),
          row("shifts", "`GET /c/shifts/{token}`, the shifts of a candidate", times.shifts),
          row("acknowledgement", "acknowledgement of a webhook", times.acknowledgement),
        ],
      },
    ],
    figures: {
      "candidates.shift.p95": quantile(times.shift, 0.95),
      "candidates.shifts.p95": quantile(times.shifts, 0.95),
    },
  };
}
