import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/timestamp.ts";
import { laterBy } from "../../../src/platform/db/fragments.ts";
import type { WorkKind } from "../../../src/platform/db/schema.ts";
import type { Channel } from "../../../src/platform/deps.ts";
import { featureEngines, type TestDatabase, useEngine } from "../../harness/engines.ts";
import { insertPeople } from "../../harness/many-rows.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { type Harness, startHarness } from "../../harness/platform.ts";

/**
 * MANY_OFFERS=month: what a large staffing company has in a month, 2,000 shifts of 100 organisations, in five minutes of processor time. One of
 * `mobileNth` people works for `mobileAt` organisations, and reaches the limits; the others work for one.
 */
const { people, places, bursts, days, mobileNth, mobileAt } =
  process.env.MANY_OFFERS === "month"
    ? { people: 5_000, places: 100, bursts: 4, days: 30, mobileNth: 20, mobileAt: 10 }
    : { people: 200, places: 8, bursts: 2, days: 4, mobileNth: 4, mobileAt: 8 };
/** Shifts are published by the week. */
const BURST = 5;
const LIMITS = { everyMs: 6 * HOUR_MS, perDay: 2 };
/** Less than the pause, so that a pause that is not kept shows. */
const STEP_MS = 3 * HOUR_MS;

interface Sent {
  at: number;
  organisation: string;
  /** How many shifts the mail names. */
  named: number;
}

describe.each(featureEngines)("offers to many candidates on %s", (engine) => {
  const database = useEngine(engine);

  it("reach each with all shifts, in as many mails a day and as far apart as is set", {
    timeout: HOUR_MS,
  }, async ({ annotate }) => {
    const clock = { now: new Date() };
    const sent = new Map<string, Sent[]>();
    const harness = await startHarness(database(), {
      channel: channelInto(sent, clock),
      now: () => clock.now,
      config: { offerMail: LIMITS },
    });
    onTestFinished(harness.close);
    const organisations: Organisation[] = [];
    for (let nth = 0; nth < places; nth += 1) {
      const organisation = await harness.onboard();
      ok(
        await harness.operations.changeIntegration({ params: organisation.params, body: { name: `${nth}` } }),
      );
      organisations.push(organisation);
    }
    const expected = await addPeople(database(), organisations);
    await publishAll(database(), harness, organisations, clock);

    const named = [...sent].map(([address, mails]) => [
      address,
      mails.reduce((sum, mail) => sum + mail.named, 0),
    ]);
    expect(Object.fromEntries(named)).toEqual(expected);
    expect(await countUnnamed(database())).toBe(0);
    const ofPeople = [...sent.values()].map((mails) => mails.map(({ at }) => at));
    await annotate(figuresOf(sorted(ofPeople.map(mostInADay)), ofPeople));
    // Each organisation has limits of its own.
    const times = [...sent.values()].flatMap((mails) =>
      [...Map.groupBy(mails, ({ organisation }) => organisation).values()].map((each) =>
        each.map(({ at }) => at),
      ),
    );
    const most = sorted(times.map(mostInADay));
    expect(most.at(-1)).toBe(LIMITS.perDay);
    expect(Math.min(...times.map((each) => Math.min(...pauses(each))))).toBe(LIMITS.everyMs);

    const count = times.flat().length;
    await age(database(), HOUR_MS);
    await harness.platform.idle();
    expect([...sent.values()].flat(), "mails after every shift was read again").toHaveLength(count);
  });
});

const channelInto = (sent: Map<string, Sent[]>, clock: { now: Date }): Channel => ({
  name: "email",
  deliver: async ({ address, subject, organisation }) => {
    const mails = sent.get(address) ?? [];
    mails.push({ at: clock.now.getTime(), organisation, named: Number(/^\d+/.exec(subject)?.[0] ?? 1) });
    sent.set(address, mails);
    return { kind: "delivered" };
  },
  close: () => undefined,
});

/**
 * Lets the organisations publish their shifts by turns, over the days, and the time pass until no mail waits. Shifts are read again only when they change: the
 * hourly readings of a month would take hours.
 */
async function publishAll(
  database: TestDatabase,
  { platform }: Harness,
  organisations: readonly Organisation[],
  clock: { now: Date },
): Promise<void> {
  const steps = (days * DAY_MS) / STEP_MS;
  const firstStart = Math.floor((clock.now.getTime() + 2 * days * DAY_MS) / MINUTE_MS) * MINUTE_MS;
  let published = 0;
  for (let step = 0; step < steps || (await isMailWaiting(database)); step += 1) {
    const due = Math.min(places * bursts, ((step + 1) * places * bursts) / steps);
    for (; published < due; published += 1) {
      const organisation = organisations[published % places];
      for (let nth = 0; nth < BURST; nth += 1) {
        const start = firstStart + (published * BURST + nth) * HOUR_MS;
        organisation?.provider.createShift({
          startTime: new Date(start).toISOString(),
          endTime: new Date(start + 8 * HOUR_MS).toISOString(),
        });
      }
      await organisation?.idle();
    }
    clock.now = new Date(clock.now.getTime() + STEP_MS);
    await age(database, STEP_MS, "mail");
    await platform.idle();
  }
}

/** Ages the rows, instead of setting a clock forward: the hourly readings of a month are left out. What becomes due has just become due. */
const age = ({ kysely }: TestDatabase, ms: number, kind?: WorkKind) =>
  sql`update work set due_at = greatest(${laterBy(sql`due_at`, -ms)}, least(due_at, now())), not_before = ${laterBy(sql`not_before`, -ms)}
    where kind = coalesce(${kind ?? null}::text, kind)`.execute(kysely);

async function isMailWaiting({ kysely }: TestDatabase): Promise<boolean> {
  const waiting = await kysely.selectFrom("work").select("key").where("kind", "=", "mail").limit(1).execute();
  return waiting.length > 0;
}

/** Adds people with the competences of their organisations, and returns how many shifts are offered to each, by address. */
async function addPeople(
  { kysely }: TestDatabase,
  organisations: readonly Organisation[],
): Promise<Record<string, number>> {
  const [{ operations, addPerson }] = organisations as [Organisation];
  const { competenceId } = ok(await operations.createCompetence({ body: { name: "First aid" } }));
  const { candidateId } = await addPerson({ competenceIds: [competenceId] });
  await insertPeople(kysely, { competenceId }, { candidateId, count: people });
  await sql`update candidates set email = 'person' || last_name || '@example.com' where first_name = 'Person'`.execute(
    kysely,
  );
  for (const [place, organisation] of organisations.entries())
    await sql`insert into candidate_competences (candidate_id, competence_id)
      select candidate_id, ${organisation.competenceId}::uuid from candidates
      where first_name = 'Person' and (last_name::integer + ${place}::integer) % ${places}::integer <
        case when last_name::integer % ${mobileNth}::integer = 0 then ${mobileAt}::integer else 1 end`.execute(
      kysely,
    );
  const isMobile = (nth: number) => nth % mobileNth === 0;
  return Object.fromEntries(
    Array.from({ length: people }, (_, index) => index + 1).map((nth) => [
      `person${nth}@example.com`,
      (isMobile(nth) ? mobileAt : 1) * bursts * BURST,
    ]),
  );
}

/** Counts the pairs of a shift and a person with its competence whom no mail has named it. */
async function countUnnamed({ kysely }: TestDatabase): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from jobs join candidate_competences using (competence_id)
      join candidates on candidates.candidate_id = candidate_competences.candidate_id and first_name = 'Person'
    where not exists (select 1 from notifications where notifications.provider_id = jobs.provider_id
      and notifications.job_id = jobs.job_id and notifications.candidate_id = candidates.candidate_id and delivered_at is not null)`.execute(
    kysely,
  );
  return rows[0]?.count ?? 0;
}

const sorted = (figures: readonly number[]) => figures.toSorted((a, b) => a - b);

/** The most mails within 24 hours. */
const mostInADay = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + DAY_MS).length));

const pauses = (times: readonly number[]): number[] =>
  times.slice(1).map((at, nth) => at - (times[nth] ?? at));

function figuresOf(most: readonly number[], times: readonly (readonly number[])[]): string {
  const medianOf = (ordered: readonly number[]) => ordered[Math.floor(ordered.length / 2)];
  const perDay = sorted(times.map((each) => each.length / days));
  const [mean, median] = [perDay.at(-1), medianOf(perDay)].map((value) => value?.toFixed(2));
  return `${times.flat().length} mails to ${times.length} people. Mails of a person in a day: at most ${most.at(-1)}, the median person's most ${medianOf(most)};
    on average ${median} for the median person, ${mean} for the one with most`;
}
