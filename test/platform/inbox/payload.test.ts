import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { maskedPayload } from "../../../src/platform/inbox/masked-payload.ts";
import { featureEngines, useEngine } from "../../engines.ts";
import published from "../../testdata/personal-numbers.json" with { type: "json" };
import { openWorkshop, type Workshop } from "../workshop.ts";

const NUMBER = published.personnummer[0] ?? "";
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
  ...["", "shift.create", "2027-03-01", "2027-03-01T08:00:00Z", "2027-03-01T08:00:00.123+01:00"],
  // Offsets and fractions hold as many digits as a personal number does.
  ...["20270301T080000+0100", "2027-03-01T08:00:00.123456+0100", "2027-03-01T08:00:00.123456789Z"],
  ...[
    "0190c7a4-0000-7000-8000-189001169813",
    "0190C7A400007000800A189001169813",
    "1700000000",
    "1772352000000",
  ],
  ...["12345", "order 123", "\u{1f600}"],
];

describe("a payload that is shown", () => {
  it("has no personal number in any form, alone, in a sentence or as a number", () => {
    for (const number of [...published.personnummer, ...published.coordinationNumbers]) {
      for (const form of formsOf(number)) {
        const texts = [form, `of ${form}, or "${form}"`, `\u0001${form}\n`];
        expect(maskedPayload({ texts })).toEqual({
          texts: [MASK, `of ${MASK}, or "${MASK}"`, `\u0001${MASK}\n`],
        });
      }
      const short = Number(number.slice(2));
      const numbers = [Number(number), short];
      // Six digits are left of a coordination number without a month of the year 2000: that may be anything.
      expect(maskedPayload({ numbers })).toEqual({ numbers: [MASK, short < 1_000_000 ? short : MASK] });
    }
  });

  it.each(STAYS)("keeps %j", (text) => {
    expect(maskedPayload({ [text]: [text] })).toEqual({ [text]: [text] });
  });

  it("keeps any UUID and any time, and numbers that are nobody's", () => {
    for (let n = 0; n < 2_000; n += 1) {
      const payload = {
        id: randomUUID(),
        at: new Date(n * 1e9).toISOString(),
        ...{ n, half: n + 0.5, minus: -n, list: [true, false, null, 999_999] },
      };
      expect(maskedPayload(payload)).toEqual(payload);
    }
  });

  it("is masked in names and however deep, and loses no member", () => {
    const deep = { a: [{ b: [[{ [NUMBER]: { c: [`x${NUMBER}y`] } }]] }] };
    expect(maskedPayload(deep)).toEqual({ a: [{ b: [[{ [MASK]: { c: [`x${MASK}y`] } }]] }] });
    const [one, other] = formsOf(NUMBER);
    expect(maskedPayload({ [one ?? ""]: 1, [other ?? ""]: 2, [MASK]: 3 })).toEqual({
      ...{ [MASK]: 1, [`${MASK} 2`]: 2, [`${MASK} 3`]: 3 },
    });
    const odd = JSON.parse(`{"__proto__": "${NUMBER}", "constructor": {"toString": ${NUMBER}}}`);
    expect(JSON.stringify(maskedPayload(odd))).toBe(
      `{"__proto__":"${MASK}","constructor":{"toString":"${MASK}"}}`,
    );
  });

  it("is not changed itself", () => {
    const payload = { a: [NUMBER] };
    maskedPayload(payload);
    expect(payload).toEqual({ a: [NUMBER] });
  });
});

describe.each(featureEngines)("GET /events/{eventId} on %s", (engine) => {
  const database = useEngine(engine);
  let workshop: Workshop;
  beforeEach(async () => {
    workshop = await openWorkshop(database());
  });
  afterEach(() => workshop.close());

  const read = (eventId: string) => workshop.operations.getEvent({ params: { path: { eventId } } });

  it("answers what the list says of it, and its payload", async () => {
    const { shiftId } = await workshop.open();
    const { data } = await workshop.operations.listEvents({ params: { query: { shiftId } } });
    const [listed] = data?.items ?? [];
    const { data: event } = await read(listed?.eventId ?? "");
    const { event: name, providerId, traceId } = listed ?? {};
    expect(event).toEqual({ ...listed, payload: { event: name, providerId, traceId, content: { shiftId } } });
    expect(event?.status).toBe("processed");
  });

  it("masks what is stored in fields that the contract does not know", async () => {
    const event_id = randomUUID();
    const note = {
      who: [formsOf(COORDINATION)],
      [NUMBER]: Number(NUMBER),
      at: "2027-03-01T08:00:00Z",
      event_id,
    };
    await database()
      .kysely.insertInto("events")
      .values({
        ...{ event_id, provider_id: workshop.provider.providerId, event: "shift.moved", shift_id: "s" },
        ...{ trace_id: "t", status: "ignored", payload: JSON.stringify({ event: "shift.moved", note }) },
      })
      .execute();
    const { data } = await read(event_id);
    expect(data?.payload).toEqual({
      event: "shift.moved",
      note: { who: [Array(6).fill(MASK)], [MASK]: MASK, at: note.at, event_id },
    });
  });

  it("answers 404 to an unknown event, and 400 to what is no id", async () => {
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
