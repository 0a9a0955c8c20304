import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { payloadOf } from "../../../src/platform/inbox/payload.ts";
import { featureEngines, useEngine } from "../../harness/engines.ts";
import { type StartedOrganisation, startOrganisation } from "../../harness/started-organisation.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };

const COORDINATION = published.coordinationNumbers[0] ?? "";
const MASK = "[personal number]";

/** The forms in which people write one. */
const formsOf = (number: string) => [
  number,
  `${number.slice(0, 8)}-${number.slice(8)}`,
  `${number.slice(0, 8)}+${number.slice(8)}`,
  number.slice(2),
  `${number.slice(2, 8)}-${number.slice(8)}`,
  `${number.slice(2, 8)}+${number.slice(8)}`,
];

const STAYS = [
  "",
  "shift.create",
  "2027-03-01",
  "2027-03-01T08:00:00Z",
  "2027-03-01T08:00:00.123+01:00",
  // Offsets and fractions hold as many digits as a personal number does.
  "20270301T080000+0100",
  "2027-03-01T08:00:00.123456+0100",
  "2027-03-01T08:00:00.123456789Z",
  "0190c7a4-0000-7000-8000-189001169813",
  "0190C7A400007000800A189001169813",
  "1700000000",
  "1772352000000",
  "12345",
  "order 123",
  "\u{1f600}",
];

const shownOf = (text: string) => {
  const { event, content } = payloadOf({ event: text, shiftId: text, providerId: "p", traceId: "t" });
  return [event, content.shiftId];
};

describe("a payload that is shown", () => {
  it("has no personal number in any form, alone or in a sentence", () => {
    for (const number of [...published.personnummer, ...published.coordinationNumbers]) {
      for (const form of formsOf(number)) {
        expect(shownOf(form)).toEqual([MASK, MASK]);
        expect(shownOf(`of ${form}, or "${form}"`)[0]).toBe(`of ${MASK}, or "${MASK}"`);
        expect(shownOf(`\u0001${form}\n`)[0]).toBe(`\u0001${MASK}\n`);
      }
    }
  });

  it.each(STAYS)("keeps %j", (text) => {
    expect(shownOf(text)).toEqual([text, text]);
  });

  it("keeps any UUID and any time", () => {
    for (let n = 0; n < 2_000; n += 1) {
      for (const text of [randomUUID(), new Date(n * 1e9).toISOString()]) {
        expect(shownOf(text)).toEqual([text, text]);
      }
    }
  });
});

describe.each(featureEngines)("GET /events/{eventId} on %s", (engine) => {
  const database = useEngine(engine);
  let organisation: StartedOrganisation;
  beforeEach(async () => {
    organisation = await startOrganisation(database());
  });
  afterEach(() => organisation.close());

  const read = (eventId: string) => organisation.operations.getEvent({ params: { path: { eventId } } });

  it("returns the members of the list and the payload", async () => {
    const { shiftId } = await organisation.open();
    const { data } = await organisation.operations.listEvents({ params: { query: { shiftId } } });
    const [listed] = data?.items ?? [];
    const { data: event } = await read(listed?.eventId ?? "");
    const { event: name, providerId, traceId } = listed ?? {};
    expect(event).toEqual({ ...listed, payload: { event: name, providerId, traceId, content: { shiftId } } });
    expect(event?.status).toBe("processed");
  });

  it("masks the name and the shift of an event with an unknown name", async () => {
    const [eventId, traceId] = [randomUUID(), randomUUID()];
    const providerId = organisation.provider.providerId;
    const event = `shift.moved.${COORDINATION}`;
    await database()
      .kysely.insertInto("events")
      .values({ eventId, providerId, event, shiftId: COORDINATION, traceId, status: "ignored" })
      .execute();
    const { data } = await read(eventId);
    expect(data?.payload).toEqual({
      event: `shift.moved.${MASK}`,
      providerId,
      traceId,
      content: { shiftId: MASK },
    });
    const masked = { event: `shift.moved.${MASK}`, shiftId: MASK };
    expect(data).toMatchObject(masked);
    expect((await organisation.operations.listEvents()).data?.items).toMatchObject([masked]);
    const params = { path: { traceId } };
    const { data: trace } = await organisation.operations.getTrace({ params });
    expect(trace?.steps).toMatchObject([
      { shiftId: MASK, verdict: { code: "stored_unknown_event", params: { event: `shift.moved.${MASK}` } } },
    ]);
    expect(JSON.stringify(trace)).not.toContain(COORDINATION);
  });

  it("returns 404 for an unknown event, and 400 for a malformed id", async () => {
    expect(await read(randomUUID())).toMatchObject({
      response: { status: 404 },
      error: { code: "event_not_found" },
    });
    expect(await read("7")).toMatchObject({
      response: { status: 400 },
      error: { code: "validation_failed" },
    });
  });
});
