import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { readTimestamp, shiftHours } from "../../src/contract/timestamp.ts";

const STOCKHOLM = "Europe/Stockholm";

describe("readTimestamp", () => {
  it.each([
    ["2026-01-15T08:00:00Z", "2026-01-15T08:00:00.000Z"],
    ["2026-01-15T08:00:00+01:00", "2026-01-15T07:00:00.000Z"],
    ["2026-01-15T08:00:00+0100", "2026-01-15T07:00:00.000Z"],
    ["2026-01-15T08:00:00+01", "2026-01-15T07:00:00.000Z"],
    ["2026-01-15T08:00:00-03:30", "2026-01-15T11:30:00.000Z"],
    ["2026-01-15t08:00:00z", "2026-01-15T08:00:00.000Z"],
    ["2026-01-15T08:00:00-00:00", "2026-01-15T08:00:00.000Z"],
    ["2026-01-15T08:00Z", "2026-01-15T08:00:00.000Z"],
    ["2026-01-15T08Z", "2026-01-15T08:00:00.000Z"],
    ["20260115T080000Z", "2026-01-15T08:00:00.000Z"],
    ["2026-01-15T08:00:00.5Z", "2026-01-15T08:00:00.500Z"],
    ["2026-01-15T08:00:00,25Z", "2026-01-15T08:00:00.250Z"],
    ["2026-01-15T08:00:00.123456789012Z", "2026-01-15T08:00:00.123Z"],
    ["2026-01-15T24:00:00Z", "2026-01-16T00:00:00.000Z"],
    ["2028-02-29T00:00:00Z", "2028-02-29T00:00:00.000Z"],
  ])("%s carries its own zone: %s", (text, instant) => {
    expect(readTimestamp(text, STOCKHOLM)).toEqual({ instant, assumedZone: false });
  });

  it.each([
    ["winter", "2026-01-15T08:00:00", "2026-01-15T07:00:00.000Z"],
    ["summer", "2026-07-15T08:00:00.250", "2026-07-15T06:00:00.250Z"],
    ["the hour skipped in spring moves forward", "2026-03-29T02:30:00", "2026-03-29T01:30:00.000Z"],
    ["of the hour repeated in autumn the first is meant", "2026-10-25T02:30:00", "2026-10-25T00:30:00.000Z"],
    ["midnight at the end of the day", "2026-03-28T24:00", "2026-03-28T23:00:00.000Z"],
  ])("without an offset it is local: %s", (_case, text, instant) => {
    expect(readTimestamp(text, STOCKHOLM)).toEqual({ instant, assumedZone: true });
  });

  it.each([
    "",
    "today",
    "1768464000",
    "2026-01-15",
    "08:00:00",
    "2026-01-15 08:00:00Z",
    "2026-02-29T08:00:00Z",
    "2026-04-31T08:00:00",
    "2026-13-01T08:00:00Z",
    "2026-00-10T08:00:00Z",
    "2026-01-00T08:00:00Z",
    "2026-01-15T25:00:00Z",
    "2026-01-15T24:00:01Z",
    "2026-02-30T24:00:00Z",
    "2026-01-15T08:60:00Z",
    "2026-01-15T08:00:00+25:00",
    "2026-01-15T08:00:00+01:60",
    "2026-01-15T08:00:00.Z",
    "2026-01-15T080:00Z",
    "2026-01-15T08:00:00Z[Europe/Stockholm]",
    "2026-01-15T08:00:00Z\n",
    "15/01/2026T08:00:00Z",
    "-002026-01-15T08:00:00Z",
    "2026-W03-4T08:00:00Z",
  ])("refuses %j", (text) => {
    expect(readTimestamp(text, STOCKHOLM)).toBeUndefined();
  });

  it("never throws, whatever a provider sends", () => {
    const digits = fc.stringMatching(/^\d{4}-?\d{2}-?\d{2}T[\d:.,+Z-]{0,20}$/);
    fc.assert(fc.property(fc.oneof(fc.string(), digits), (text) => void readTimestamp(text, STOCKHOLM)));
  });

  it("reads what Date writes as the same instant", () => {
    const within = {
      min: new Date("0001-01-01T00:00:00Z"),
      max: new Date("9999-12-31T00:00:00Z"),
      noInvalidDate: true,
    };
    fc.assert(
      fc.property(fc.date(within), (date) => {
        expect(readTimestamp(date.toISOString(), STOCKHOLM)?.instant).toBe(date.toISOString());
      }),
    );
  });

  it.each(["extended", "basic"])("reads every form as Temporal does, in every zone: %s", (form) => {
    const [dash, colon] = form === "basic" ? ["", ""] : ["-", ":"];
    const digits = (min: number, max: number, length = 2) =>
      fc.integer({ min, max }).map((n) => String(n).padStart(length, "0"));
    const date = fc.tuple(digits(1, 9_999, 4), digits(0, 13), digits(0, 32)).map((of) => of.join(dash));
    const fraction = fc.stringMatching(/^[.,]\d{1,12}$/);
    const time = fc
      .tuple(
        digits(0, 25),
        fc.option(fc.tuple(digits(0, 61), fc.option(fc.tuple(digits(0, 61), fc.option(fraction))))),
      )
      .map(([hour, rest]) => {
        const [minute, seconds] = rest ?? [];
        const [second, part] = seconds ?? [];
        return [hour, minute, second].filter((each) => each !== undefined).join(colon) + (part ?? "");
      });
    const offset = fc.option(
      fc.oneof(
        fc.constantFrom("Z", "z"),
        fc
          .tuple(fc.constantFrom("+", "-"), digits(0, 24), fc.constantFrom("", ":"), fc.option(digits(0, 60)))
          .map(([sign, hour, between, minute]) =>
            minute === null ? `${sign}${hour}` : `${sign}${hour}${between}${minute}`,
          ),
      ),
    );
    const zone = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
    fc.assert(
      fc.property(date, time, offset, zone, (day, hour, shift, timeZone) => {
        const text = `${day}T${hour}${shift ?? ""}`;
        expect(readTimestamp(text, timeZone)?.instant).toBe(asTemporal(text, shift ?? undefined, timeZone));
      }),
      { numRuns: 3_000 },
    );
  });

  it("reads the times around every change of the clocks as Temporal does", () => {
    const { timeZones, aroundChanges } = { timeZones: Intl.supportedValuesOf("timeZone"), aroundChanges: 90 };
    for (const timeZone of timeZones) {
      let change = Temporal.ZonedDateTime.from(`1965-01-01T00:00[${timeZone}]`).getTimeZoneTransition("next");
      for (let count = 0; change !== null && count < 12; count += 1) {
        for (const minutes of [-aroundChanges, -61, -60, -30, -1, 0, 1, 30, 59, 60, aroundChanges]) {
          for (const side of [change, change.subtract({ nanoseconds: 1 })]) {
            const text = side.toPlainDateTime().add({ minutes }).toString({ smallestUnit: "second" });
            expect([timeZone, text, readTimestamp(text, timeZone)?.instant]).toEqual([
              timeZone,
              text,
              asTemporal(text, undefined, timeZone),
            ]);
          }
        }
        change = change.getTimeZoneTransition("next");
      }
    }
  });

  it("throws for a zone that does not exist", () => {
    expect(() => readTimestamp("2026-01-15T08:00:00", "Europe/Nowhere")).toThrow(RangeError);
  });
});

describe("shiftHours", () => {
  it.each([
    ["an ordinary night", "2026-06-01T22:00:00", "2026-06-02T06:00:00", 8],
    ["the night summer time begins", "2026-03-28T22:00:00", "2026-03-29T06:00:00", 7],
    ["the night summer time ends", "2026-10-24T22:00:00", "2026-10-25T06:00:00", 9],
    ["a quarter of an hour", "2026-06-01T22:00:00", "2026-06-01T22:15:00", 0.25],
    ["an end before the start", "2026-06-01T22:00:00", "2026-06-01T06:00:00", -16],
  ])("%s, 22:00 local", (_case, start, end, hours) => {
    const from = readTimestamp(start, STOCKHOLM)?.instant ?? "";
    const to = readTimestamp(end, STOCKHOLM)?.instant ?? "";
    expect(shiftHours(from, to)).toBe(hours);
  });

  it("refuses a local time, whose length is not known", () => {
    expect(() => shiftHours("2026-06-01T22:00:00", "2026-06-02T06:00:00Z")).toThrow(RangeError);
  });
});

/** As Temporal reads a local time or one with an offset, with what it does not read: midnight at the end of a day. */
function asTemporal(text: string, offset: string | undefined, timeZone: string): string | undefined {
  const [, date = "", midnight] = /^([\d-]+)T(24(?::?00(?::?00(?:[.,]0+)?)?)?)(?=$|[Zz+-])/.exec(text) ?? [];
  try {
    const local =
      midnight === undefined
        ? Temporal.PlainDateTime.from(
            text.slice(0, text.length - (offset?.length ?? 0)).replace(/(?<=[.,]\d{9})\d+$/, ""),
          )
        : Temporal.PlainDate.from(date).add({ days: 1 }).toPlainDateTime();
    const instant =
      offset === undefined
        ? local.toZonedDateTime(timeZone).toInstant()
        : Temporal.Instant.from(`${local}${offset}`);
    return instant.toString({ smallestUnit: "millisecond" });
  } catch {
    return undefined;
  }
}
