import { sql } from "kysely";
import { describe, expect, it, onTestFinished } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../../src/contract/durations.ts";
import type { Channel } from "../../../src/platform/deps.ts";
import { featureEngines, type TestDatabase, useEngine } from "../../harness/engines.ts";
import { insertPeople } from "../../harness/many-rows.ts";
import { ok } from "../../harness/operations.ts";
import type { Organisation } from "../../harness/organisation.ts";
import { startHarness } from "../../harness/platform.ts";
import { passTime } from "../../harness/work-rows.ts";

/** MANY_OFFERS=month takes hours: what a large staffing company has in a month. */
const { people, shifts, days, places, timeout } =
  process.env.MANY_OFFERS === "month"
    ? { people: 5_000, shifts: 2_000, days: 30, places: 20, timeout: DAY_MS }
    : { people: 200, shifts: 80, days: 4, places: 4, timeout: HOUR_MS };
const LIMITS = { everyMs: 6 * HOUR_MS, perDay: 2 };
const STEP_MS = 2 * HOUR_MS;
/** Each person has the competences of so many organisations. */
const EACH = 2;

describe.each(featureEngines)("offers to many candidates on %s", (engine) => {
  const database = useEngine(engine);

  it("reach each with all shifts, in as many mails a day and as far apart as is set", {
    timeout,
  }, async () => {
    let now = new Date();
    const sent = new Map<string, { at: number; named: number }[]>();
    const channel: Channel = {
      name: "email",
      deliver: async ({ address: to, subject }) => {
        const mail = { at: now.getTime(), named: Number(/^\d+/.exec(subject)?.[0] ?? 1) };
        sent.set(to, [...(sent.get(to) ?? []), mail]);
        return { kind: "delivered" };
      },
      close: () => undefined,
    };
    const harness = await startHarness(database(), {
      channel,
      now: () => now,
      config: { offerMail: LIMITS },
    });
    onTestFinished(harness.close);
    const organisations: Organisation[] = [];
    for (let nth = 0; nth < places; nth += 1) organisations.push(await harness.onboard({ connect: false }));
    const all = await addPeople(database(), organisations);

    const steps = (days * DAY_MS) / STEP_MS;
    const firstStart = Math.floor((now.getTime() + 2 * days * DAY_MS) / MINUTE_MS) * MINUTE_MS;
    const named = () => [...sent.values()].flat().reduce((sum, mail) => sum + mail.named, 0);
    for (let step = 0, opened = 0; step < 2 * steps && named() < people * offered(); step += 1) {
      for (; opened < Math.min(shifts, ((step + 1) * shifts) / steps); opened += 1) {
        const start = firstStart + opened * HOUR_MS;
        await organisations[opened % places]?.open({
          startTime: new Date(start).toISOString(),
          endTime: new Date(start + 8 * HOUR_MS).toISOString(),
        });
      }
      now = new Date(now.getTime() + STEP_MS);
      await passTime(database(), STEP_MS);
      await harness.platform.idle();
    }

    expect([...sent.keys()].toSorted()).toEqual(all.toSorted());
    for (const mails of sent.values())
      expect(mails.reduce((sum, mail) => sum + mail.named, 0)).toBe(offered());
    const times = [...sent.values()].map((mails) => mails.map(({ at }) => at));
    expect(Math.max(...times.map(mostInADay))).toBe(LIMITS.perDay);
    expect(Math.min(...times.flatMap(pauses))).toBe(LIMITS.everyMs);
  });
});

/** The shifts that are offered to each person. */
const offered = () => (shifts / places) * EACH;

/** Adds people, each with the competences of neighbouring organisations, and returns their addresses. */
async function addPeople(
  { kysely }: TestDatabase,
  organisations: readonly Organisation[],
): Promise<string[]> {
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
      where first_name = 'Person' and (last_name::integer + ${place}::integer) % ${places}::integer < ${EACH}::integer`.execute(
      kysely,
    );
  return Array.from({ length: people }, (_, nth) => `person${nth + 1}@example.com`);
}

/** The most mails within 24 hours. */
const mostInADay = (times: readonly number[]): number =>
  Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + DAY_MS).length));

const pauses = (times: readonly number[]): number[] =>
  times.slice(1).map((at, nth) => at - (times[nth] ?? at));
