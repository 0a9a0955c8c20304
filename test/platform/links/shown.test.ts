import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Job } from "../../../generated/operations/types.ts";
import type { Mail } from "../../../src/platform/deps.ts";
import type { ProviderActions } from "../../../src/sandbox/provider-actions.ts";
import {
  answerOn,
  asksOf,
  buttonsOf,
  headingOf,
  linkOf,
  sendForm,
  shownOn,
  startWithLinks,
} from "../../harness/candidate-links.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { ok } from "../../harness/operations.ts";
import type { Person } from "../../harness/organisation.ts";
import type { StartedOrganisation } from "../../harness/started-organisation.ts";

const OFFER = /is open for you/;
const CHANGED = "The shift has changed since you opened the page, so your answer was not stored.";

/** 12:30 to 20:00 in the zone of the organisation, Europe/Stockholm. */
const TIMES = { startTime: "2027-06-04T10:30:00.000Z", endTime: "2027-06-04T18:00:00.000Z" };

type Changes = Parameters<ProviderActions["updateShift"]>[1];
type Change = (provider: ProviderActions) => Changes;

/** What a provider changes, and what the page shows of it then. */
const OTHER: readonly [name: string, change: Change, shown: (provider: ProviderActions) => string][] = [
  [
    "other times, until the next day",
    () => ({ startTime: "2027-06-04T03:30:00.000Z", endTime: "2027-06-05T14:59:00.000Z" }),
    () => "05:30 – Saturday, 5 June 2027 16:59",
  ],
  ["an end a minute later", () => ({ endTime: "2027-06-04T18:01:00.000Z" }), () => "12:30 – 20:01"],
  [
    "an end that mails round to a minute later",
    () => ({ endTime: "2027-06-04T18:00:30.000Z" }),
    () => "12:30 – 20:01",
  ],
  [
    "another place",
    ({ outlets }) => ({ outletId: outlets[1]?.id ?? "" }),
    ({ outlets }) => `<dt>Place</dt><dd><bdi>${outlets[1]?.name}</bdi></dd>`,
  ],
  [
    "another role",
    ({ roles }) => ({ roleId: roles[1]?.id ?? "" }),
    ({ roles }) => `<dt>Role</dt><dd><bdi>${roles[1]?.name}</bdi></dd>`,
  ],
];

/** What changes the shift of a page, but is no change of the provider's shift. */
const AROUND: readonly [name: string, change: (organisation: StartedOrganisation) => Promise<unknown>][] = [
  [
    "times of another zone",
    async ({ operations, params }) =>
      ok(await operations.changeIntegration({ params, body: { timeZone: "Europe/London" } })),
  ],
  [
    "another address of the place",
    async ({ operations, params, provider: { outlets } }) => {
      Object.assign(outlets[0] ?? {}, { address: "Storgatan 2" });
      ok(await operations.discoverIntegration({ params }));
    },
  ],
];

const SAME: readonly [name: string, change: Changes][] = [
  ["another description", { description: "Use the back door" }],
  ["another break", { breakMinutes: 45 }],
  ["more positions", { positions: 4 }],
  ["an end in the same minute", { endTime: "2027-06-04T18:00:29.000Z" }],
];

describe.each(featureEngines)(
  "an answer to a page that showed the shift before a change, on %s",
  (engine) => {
    const database = useEngine(engine);
    let organisation: StartedOrganisation;
    let mails: Mail[];
    beforeEach(async () => {
      ({ organisation, mails } = await startWithLinks(database(), { dialect: { variant: "b" } }));
    });
    afterEach(() => organisation.close());

    const offered = async (): Promise<{ job: Job; person: Person; link: string }> => {
      const person = await organisation.addPerson();
      const job = await organisation.open({ ...TIMES, positions: 2 });
      return { job, person, link: linkOf(mails, OFFER) };
    };
    const change = async ({ shiftId }: Job, changes: Changes) => {
      organisation.provider.updateShift(shiftId, changes);
      await organisation.process("shift.update", shiftId);
    };
    const shownFor = (link: string, answer: string) => shownOn(organisation.url, link, answer);
    const post = (link: string, fields: Record<string, string>) => sendForm(organisation.url, link, fields);

    it.each(OTHER)(
      "stores nothing for %s, and shows the shift as it is now",
      async (_name, changes, seen) => {
        const { provider } = organisation;
        const { job, link } = await offered();
        const shown = await shownFor(link, "accept");
        expect(shown).toEqual({ shown: expect.stringMatching(/^[\w-]{16}$/) });
        await change(job, changes(provider));
        for (const answer of ["accept", "decline"]) {
          const page = await post(link, { answer, ...shown });
          expect([page.status, headingOf(page)]).toEqual([409, "A shift for you"]);
          expect(page.text).toContain(CHANGED);
          expect(page.text).toContain(seen(provider));
          // What was pressed is not pressed again.
          expect(buttonsOf(page)).toEqual(["not_me"]);
        }
        expect((await organisation.job(job.shiftId)).bookings).toEqual([]);
        expect((await answerOn(organisation.url, link, "accept")).status).toBe(303);
        expect((await organisation.job(job.shiftId)).bookings).toMatchObject([{ status: "confirmed" }]);
      },
    );

    it.each(AROUND)("stores nothing for %s", async (_name, changeAround) => {
      const { job, link } = await offered();
      const shown = await shownFor(link, "accept");
      await changeAround(organisation);
      await organisation.idle();
      expect((await post(link, { answer: "accept", ...shown })).status).toBe(409);
      expect((await organisation.job(job.shiftId)).bookings).toEqual([]);
    });

    it("withdraws no one", async () => {
      const { job, person, link } = await offered();
      await answerOn(organisation.url, link, "accept");
      const shown = await shownFor(link, "withdraw");
      await change(job, { endTime: "2027-06-04T17:00:00.000Z" });
      const page = await post(link, { answer: "withdraw", ...shown });
      expect([page.status, headingOf(page)]).toEqual([409, "Your shift is confirmed"]);
      expect(page.text).toContain(CHANGED);
      expect([buttonsOf(page), asksOf(page)]).toEqual([["not_me"], ["withdraw"]]);
      expect((await organisation.booking(job, person))?.status).toBe("confirmed");
    });

    it.each(SAME)("is stored for %s", async (_name, changes) => {
      const { job, person, link } = await offered();
      const shown = await shownFor(link, "accept");
      await change(job, changes);
      expect((await post(link, { answer: "accept", ...shown })).status).toBe(303);
      expect((await organisation.booking(job, person))?.status).toBe("confirmed");
    });

    it("is done before if it was stored before the change: two tabs send the same", async () => {
      const { job, link } = await offered();
      const accepted = { answer: "accept", ...(await shownFor(link, "accept")) };
      for (let tab = 0; tab < 2; tab += 1) expect((await post(link, accepted)).status).toBe(303);
      await change(job, { endTime: "2027-06-04T17:00:00.000Z" });
      expect((await post(link, accepted)).status).toBe(303);
      const withdrawn = { answer: "withdraw", ...(await shownFor(link, "withdraw")) };
      const both = await Promise.all([post(link, withdrawn), post(link, withdrawn)]);
      expect(both.map(({ status }) => status)).toEqual([303, 303]);
      await change(job, { endTime: "2027-06-04T16:00:00.000Z" });
      expect((await post(link, withdrawn)).status).toBe(303);
      expect((await organisation.job(job.shiftId)).bookings).toMatchObject([{ status: "released" }]);
    });

    it("is the page again if it does not say what was shown, as of a page of an older version", async () => {
      const { job, link } = await offered();
      for (const answer of ["accept", "decline"]) {
        const page = await post(link, { answer });
        expect([page.status, buttonsOf(page)]).toEqual([409, ["not_me"]]);
        expect(page.text).toContain("Your page was out of date, so your answer was not stored.");
      }
      expect((await post(link, { answer: "accept", shown: "a".repeat(17) })).status).toBe(400);
      expect((await organisation.job(job.shiftId)).bookings).toEqual([]);
      expect(buttonsOf(await sendForm(organisation.url, link, { answer: "withdraw" }))).toEqual(["not_me"]);
    });

    it.runIf(engine === "postgres")(
      "is compared where it is stored: a change while it waits for the shift counts",
      async () => {
        const { job, link } = await offered();
        const shown = await shownFor(link, "accept");
        const { kysely } = database();
        const isBlocked = async () => {
          const waiting = sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
          return (await waiting.execute(kysely)).rows.length > 0;
        };
        const answered = await kysely.transaction().execute(async (trx) => {
          await trx
            .updateTable("jobs")
            .set({ endTime: new Date("2027-06-04T19:00:00.000Z") })
            .where("jobId", "=", job.jobId)
            .execute();
          const answering = post(link, { answer: "accept", ...shown });
          await expect.poll(isBlocked).toBe(true);
          return { answering };
        });
        const page = await answered.answering;
        expect([page.status, page.text.includes("12:30 – 21:00")]).toEqual([409, true]);
        expect((await organisation.job(job.shiftId)).bookings).toEqual([]);
      },
    );
  },
);
