import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  hyphenated,
  isBirthPlausible,
  isSameNumber,
  maskPersonalNumber,
  type PersonalNumber,
  parsePersonalNumber,
} from "../../src/contract/personal-number.ts";
import published from "../testdata/personal-numbers.json" with { type: "json" };

const anyPublished = fc.constantFrom(...published.personnummer, ...published.coordinationNumbers);
const withHyphen = (digits: string) => `${digits.slice(0, 8)}-${digits.slice(8)}`;

describe("parsePersonalNumber", () => {
  it("accepts every published number, with and without a hyphen", () => {
    for (const digits of [...published.personnummer, ...published.coordinationNumbers]) {
      expect(parsePersonalNumber(digits), digits).toBe(digits);
      expect(parsePersonalNumber(withHyphen(digits)), digits).toBe(digits);
    }
  });

  it("of someone who is not born yet is not plausible: a typed 20 for 19 passes the check digit", () => {
    for (const digits of [...published.personnummer, ...published.coordinationNumbers]) {
      const number = digits as PersonalNumber;
      expect(isBirthPlausible(number, new Date("2026-11-30T12:00:00Z"))).toBe(true);
      expect(isBirthPlausible(number, new Date(`${Number(digits.slice(0, 4)) - 1}-12-31T12:00:00Z`))).toBe(
        false,
      );
    }
  });

  it.each(published.invalid)("refuses %j", (text) => {
    expect(parsePersonalNumber(text)).toBeUndefined();
  });

  it("refuses a number in which one of the ten digits under the check digit was changed", () => {
    fc.assert(
      fc.property(
        anyPublished,
        fc.integer({ min: 2, max: 11 }),
        fc.integer({ min: 1, max: 9 }),
        (digits, at, by) => {
          const changed = digits.slice(0, at) + ((Number(digits[at]) + by) % 10) + digits.slice(at + 1);
          expect(parsePersonalNumber(changed)).toBeUndefined();
        },
      ),
    );
  });

  it.each([
    ["ten digits", (digits: string) => digits.slice(2)],
    ["ten digits with a hyphen", (digits: string) => withHyphen(digits).slice(2)],
    ["a plus for those over a hundred", (digits: string) => withHyphen(digits).replace("-", "+")],
    ["a hyphen in another place", (digits: string) => `${digits.slice(0, 4)}-${digits.slice(4)}`],
    ["two hyphens", (digits: string) => withHyphen(digits).replace("-", "--")],
    ["a space before", (digits: string) => ` ${digits}`],
    ["a line break after", (digits: string) => `${digits}\n`],
    ["another century", (digits: string) => `17${digits.slice(2)}`],
    ["digits of another script", (digits: string) => digits.replace(/\d$/, "١")],
  ])("refuses %s", (_form, write) => {
    fc.assert(
      fc.property(anyPublished, (digits) => {
        expect(parsePersonalNumber(write(digits))).toBeUndefined();
      }),
    );
  });

  it.each([
    ["month 13", "19901301"],
    ["month 00 of a person", "19900001"],
    ["day 00", "19900100"],
    ["31 April", "19900431"],
    ["29 February of a common year", "19000229"],
    ["day 59", "19900159"],
    ["day 92", "19900192"],
    ["month 13 of a coordination number", "19901361"],
  ])("refuses %s under a correct check digit", (_case, date) => {
    const accepted = Array.from({ length: 10 }, (_, digit) => parsePersonalNumber(`${date}238${digit}`));
    expect(accepted.filter((number) => number !== undefined)).toEqual([]);
  });

  it("accepts 29 February of a leap year under exactly one check digit", () => {
    const accepted = Array.from({ length: 10 }, (_, digit) => parsePersonalNumber(`20000229238${digit}`));
    expect(accepted.filter((number) => number !== undefined)).toHaveLength(1);
  });
});

describe("forms of a personal number", () => {
  it("hyphenated is read back as the same number", () => {
    fc.assert(
      fc.property(anyPublished, (digits) => {
        const number = parsePersonalNumber(digits);
        expect(number && hyphenated(number)).toBe(withHyphen(digits));
      }),
    );
  });

  it("a masked number shows the birth year and nothing else", () => {
    fc.assert(
      fc.property(anyPublished, (digits) => {
        const number = parsePersonalNumber(digits);
        expect(number && maskPersonalNumber(number)).toBe(`${digits.slice(0, 4)}****-****`);
      }),
    );
  });
});

describe("isSameNumber", () => {
  const forms = {
    "twelve digits": (digits: string) => digits,
    "twelve digits with a hyphen": withHyphen,
    "ten digits": (digits: string) => digits.slice(2),
    "ten digits with a hyphen": (digits: string) => withHyphen(digits).slice(2),
  };

  it.each(Object.entries(forms))("recognises a number in the form of %s, and no other", (_form, write) => {
    fc.assert(
      fc.property(anyPublished, anyPublished, (digits, other) => {
        const number = digits as PersonalNumber;
        expect(isSameNumber(write(digits), number)).toBe(true);
        expect(isSameNumber(write(other), number)).toBe(write(other) === write(digits));
      }),
    );
  });

  it.each([
    ["a plus, which is of another century", (digits: string) => `${digits.slice(2, 8)}+${digits.slice(8)}`],
    ["another century", (digits: string) => `${digits.startsWith("20") ? "19" : "20"}${digits.slice(2)}`],
    ["digits that are missing", (digits: string) => digits.slice(3)],
    ["a name behind it", (digits: string) => `${digits} Ada`],
    ["nothing", () => ""],
  ])("does not recognise a number with %s", (_form, write) => {
    fc.assert(
      fc.property(anyPublished, (digits) => {
        expect(isSameNumber(write(digits), digits as PersonalNumber)).toBe(false);
      }),
    );
  });
});
