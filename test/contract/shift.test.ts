import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Shift as ShiftBody } from "../../generated/provider/types.ts";
import { schemas } from "../../generated/provider/validators.js";
import { type Dialect, dialectName, everyDialect } from "../../src/contract/dialect.ts";
import { readShift, variantOf } from "../../src/contract/shift.ts";

const ZONE = "Europe/Stockholm";
const RUNS = { numRuns: 1_000 };

const id = fc
  .oneof(fc.uuid(), fc.string({ minLength: 1, maxLength: 200 }))
  .filter((text) => ![".", ".."].includes(text));
const time = fc
  .date({ min: new Date("2000-01-01"), max: new Date("2099-12-31"), noInvalidDate: true })
  .map((date) => date.toISOString());
const positions = fc.option(fc.integer({ min: 0, max: 100 }), { nil: null });
const text = fc.option(fc.string(), { nil: null });

const assigned = fc.oneof(
  fc.record({ candidateId: id }),
  fc.record({ id, personalNumber: fc.constant("189001169813") }),
  fc.record({ id, candidateId: id, personalNumber: text, more: fc.jsonValue() }, { requiredKeys: ["id"] }),
);

/** contract 2.2: what both variants hold. */
const shared = fc.record({
  id,
  startTime: time,
  endTime: time,
  outletId: id,
  roleId: id,
  assignedCandidates: fc.array(assigned, { maxLength: 4 }),
});

const onlyInA = { outletName: text, roleName: text, slots: positions };
const onlyInB = {
  breakMinutes: fc.option(fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }), { nil: null }),
  numberOfPositions: positions,
  status: fc.option(fc.constantFrom("open", "filled", "cancelled", "paused"), { nil: null }),
  description: text,
  createdAt: fc.option(time, { nil: null }),
  updatedAt: fc.option(time, { nil: null }),
};
const namesOfB = Object.keys(onlyInB);

/** The six shared fields, any mix of the others, and unknown fields. */
const anyShift = fc
  .tuple(
    shared,
    fc.record(onlyInA, { requiredKeys: [] }),
    fc.oneof(fc.constant({}), fc.record(onlyInB, { requiredKeys: [] })),
    fc.dictionary(fc.constantFrom("unit", "x-colour", "note"), fc.jsonValue()),
  )
  .map((parts) => Object.assign({}, ...parts) as ShiftBody);

const branchesOf = (shift: unknown) =>
  [schemas.ShiftVariantA(shift) ? "a" : undefined, schemas.ShiftVariantB(shift) ? "b" : undefined].filter(
    (branch) => branch !== undefined,
  );

describe("the variants of a shift (contract 2.2)", () => {
  it("are a partition: every mix of their fields fits exactly one, the one that is read", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(anyShift, (shift) => {
        const expected = namesOfB.some((name) => name in shift) ? "b" : "a";
        seen.add(expected);
        expect(branchesOf(shift)).toEqual([expected]);
        expect(schemas.Shift(shift)).toBe(true);
        expect(variantOf(shift)).toBe(expected);
        const { shift: read, unusable } = readShift(shift, ZONE);
        if (read) expect(read.variant).toBe(expected);
        else expect(["end_not_after_start", "too_long", "text_unstorable"]).toContain(unusable?.fault);
      }),
      RUNS,
    );
    expect([...seen].sort()).toEqual(["a", "b"]);
  });

  it("lose both when a shared field is missing or of a wrong type", () => {
    const names = fc.constantFrom("id", "startTime", "endTime", "outletId", "roleId", "assignedCandidates");
    const wrong = fc.constantFrom(undefined, null, 5, true, {});
    fc.assert(
      fc.property(anyShift, names, wrong, (shift, name, value) => {
        const { [name]: _, ...rest } = shift as unknown as Record<string, unknown>;
        const broken = value === undefined ? rest : { ...rest, [name]: value };
        expect(branchesOf(broken)).toEqual([]);
        expect(schemas.Shift(broken)).toBe(false);
        expect(schemas.Shift.errorsOf(broken).map(({ pointer }) => pointer)).toContain(`/${name}`);
      }),
      { numRuns: 300 },
    );
  });

  it("lose both when a field of one has a wrong type, whatever the others are", () => {
    const wrongs = fc.constantFrom<[string, unknown]>(
      ["slots", "3"],
      ["slots", -1],
      ["slots", 2_147_483_648],
      ["slots", 1.5],
      ["outletName", 5],
      ["breakMinutes", "30"],
      ["numberOfPositions", 2_147_483_648],
      ["status", 1],
      ["createdAt", 0],
    );
    fc.assert(
      fc.property(anyShift, wrongs, (shift, [name, value]) => {
        expect(branchesOf({ ...shift, [name]: value })).toEqual([]);
        expect(schemas.Shift({ ...shift, [name]: value })).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});

describe("the acknowledgements of an assignment (contract 4.2)", () => {
  const details = fc.oneof(
    fc.constant({}),
    fc.record({ shiftId: id, candidateId: id, assignedAt: time }, { requiredKeys: [] }),
  );
  const more = fc.dictionary(fc.constantFrom("note", "by"), fc.jsonValue());

  it("are a partition: every mix of their fields fits exactly one", () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(details, more, (given, others) => {
        const acknowledgement = { success: true, ...given, ...others };
        const expected = Object.keys(given).length > 0 ? "detailed" : "minimal";
        seen.add(expected);
        expect([
          schemas.MinimalAssignment(acknowledgement),
          schemas.DetailedAssignment(acknowledgement),
          schemas.Assignment(acknowledgement),
        ]).toEqual([expected === "minimal", expected === "detailed", true]);
      }),
      RUNS,
    );
    expect([...seen].sort()).toEqual(["detailed", "minimal"]);
  });

  it("need success to be true", () => {
    fc.assert(
      fc.property(details, fc.constantFrom(false, "true", 1, null, undefined), (given, success) => {
        const refused = { ...given, ...(success !== undefined && { success }) };
        expect(schemas.Assignment(refused)).toBe(false);
      }),
      { numRuns: 100 },
    );
  });
});

const SHIFT: ShiftBody = {
  id: "s",
  startTime: "2026-03-28T22:00:00+01:00",
  endTime: "2026-03-29T06:00:00+02:00",
  outletId: "o",
  roleId: "r",
  assignedCandidates: [],
};

describe("reading a shift", () => {
  it("makes one model of both variants", () => {
    const a = { ...SHIFT, outletName: "Kajen", slots: 2, assignedCandidates: [{ candidateId: "c" }] };
    const b = {
      ...SHIFT,
      numberOfPositions: 2,
      status: "cancelled",
      outletName: null,
      assignedCandidates: [{ id: "c", personalNumber: "189001169813" }],
    };
    const model = {
      id: "s",
      outletId: "o",
      roleId: "r",
      roleName: undefined,
      breakMinutes: undefined,
      description: undefined,
      positions: 2,
      warnings: [],
      startTime: "2026-03-28T21:00:00.000Z",
      endTime: "2026-03-29T04:00:00.000Z",
    };
    expect(readShift(a, ZONE).shift).toEqual({
      ...model,
      variant: "a",
      cancelled: false,
      outletName: "Kajen",
      assigned: [{ providerCandidateId: "c", personalNumber: undefined }],
    });
    expect(readShift(b, ZONE).shift).toEqual({
      ...model,
      variant: "b",
      cancelled: true,
      outletName: undefined,
      assigned: [{ providerCandidateId: "c", personalNumber: "189001169813" }],
    });
  });

  it.each<[Partial<ShiftBody>, number, string[]]>([
    [{}, 1, ["positions_missing"]],
    [{ slots: null }, 1, ["positions_missing"]],
    [{ slots: 0 }, 0, []],
    [{ slots: 3 }, 3, []],
    [{ numberOfPositions: 4 }, 4, []],
    [{ slots: 3, numberOfPositions: 3 }, 3, []],
    [{ slots: 3, numberOfPositions: 2 }, 2, ["positions_differ"]],
    [{ slots: 1, numberOfPositions: 5 }, 1, ["positions_differ"]],
    [{ slots: null, numberOfPositions: 5 }, 5, []],
    [{ slots: 100 }, 100, []],
    [{ slots: 101 }, 101, ["positions_many"]],
    [{ slots: 150, numberOfPositions: 140 }, 140, ["positions_differ", "positions_many"]],
  ])("counts the positions of %j as %d, with the warnings %j", (change, expected, warnings) => {
    const { shift } = readShift({ ...SHIFT, ...change }, ZONE);
    expect([shift?.positions, shift?.warnings]).toEqual([expected, warnings]);
  });

  it.each<[Partial<ShiftBody>, string, string]>([
    [{ endTime: SHIFT.startTime }, "end_not_after_start", "/endTime"],
    [{ endTime: "2026-03-28T21:59:59+01:00" }, "end_not_after_start", "/endTime"],
    [{ startTime: "2026-02-30T08:00:00Z" }, "time_impossible", "/startTime"],
    [{ endTime: "2026-02-30T08:00:00Z" }, "time_impossible", "/endTime"],
    [{ startTime: "0000-06-01T08:00:00Z" }, "time_out_of_range", "/startTime"],
    [{ startTime: "0001-01-01T00:00:00+23:59" }, "time_out_of_range", "/startTime"],
    [{ startTime: "00000601T08", endTime: "00000601T09" }, "time_out_of_range", "/startTime"],
    [{ endTime: "9999-12-31T23:59:59-23:59" }, "time_out_of_range", "/endTime"],
    [{ endTime: "9999-12-31T24:00Z" }, "time_out_of_range", "/endTime"],
    [{ endTime: "2026-03-30T11:00:01+02:00" }, "too_long", "/endTime"],
    [{ endTime: "9999-12-31T23:00:00Z" }, "too_long", "/endTime"],
    [{ outletId: "a\0b" }, "text_unstorable", "/outletId"],
    [{ roleId: "a\ud800b" }, "text_unstorable", "/roleId"],
    [{ outletName: "a\0b" }, "text_unstorable", "/outletName"],
    [{ roleName: "\0" }, "text_unstorable", "/roleName"],
  ])("cannot use %j: %s at %s", (change, fault, pointer) => {
    expect(readShift({ ...SHIFT, ...change }, ZONE)).toEqual({ unusable: { fault, pointer } });
  });

  it.each([null, "open", "filled", "paused", "cancelled"])(
    "takes no status but cancelled at its word: %s",
    (status) => {
      expect(readShift({ ...SHIFT, status }, ZONE).shift?.cancelled).toBe(status === "cancelled");
    },
  );

  it("of a shift that is cancelled needs none of its texts", () => {
    const { shift } = readShift({ ...SHIFT, status: "cancelled", outletName: "a\0b" }, ZONE);
    expect(shift).toMatchObject({ cancelled: true });
  });

  it.each([
    ["the first", { startTime: "0001-01-01T00:00:00.000Z", endTime: "0001-01-02T12:00:00.000Z" }],
    ["the last", { startTime: "9999-12-31T12:00:00.000Z", endTime: "9999-12-31T23:59:59.999Z" }],
  ])("takes a shift in %s year, of up to 36 hours", (_year, times) => {
    expect(readShift({ ...SHIFT, ...times }, ZONE).shift).toMatchObject(times);
  });

  it.each([
    ["Account blocked! Verify: https://evil.example/a?b", "Account blocked! Verify: [link]"],
    ["see WWW.evil.example now", "see [link] now"],
    ["a\u202eb\u2066c\u200bd\ufeffe", "abcde"],
    ["Bar\r\nSubject:\tx\u0085y", "Bar Subject: x y"],
    ["A\u030Asa", "\u00c5sa"],
  ])("keeps of the name %j what people may read", (name, kept) => {
    const { shift } = readShift({ ...SHIFT, outletName: name, roleName: name }, ZONE);
    expect([shift?.outletName, shift?.roleName]).toEqual([kept, kept]);
  });

  it("takes a cancelled shift of any length: its times are not used", () => {
    const body = { ...SHIFT, endTime: "9999-12-31T23:00:00Z", status: "cancelled" };
    expect(readShift(body, ZONE).shift).toMatchObject({ cancelled: true });
  });

  it.each([
    [{ breakMinutes: 30, description: "Ring the bell" }, 30, "Ring the bell"],
    [{ breakMinutes: 0, description: null }, undefined, undefined],
    [{ breakMinutes: -5, description: " " }, undefined, undefined],
    [{ breakMinutes: 1e9, description: "a\0\ud800" }, undefined, "a \ufffd"],
    [{ breakMinutes: 29.6, description: "x".repeat(5_000) }, 30, "x".repeat(1_000)],
    [{ description: "Ask for 18900116-9813" }, undefined, "Ask for [personal number]"],
  ])("keeps of %j what a candidate can use", (given, breakMinutes, description) => {
    expect(readShift({ ...SHIFT, ...given }, ZONE).shift).toMatchObject({ breakMinutes, description });
  });

  it.each(["outletName", "roleName"])("keeps 200 characters of %s, with a warning", (name) => {
    const read = (text: string) => readShift({ ...SHIFT, slots: 1, [name]: text }, ZONE).shift;
    expect(read("å".repeat(200))).toMatchObject({ [name]: "å".repeat(200), warnings: [] });
    expect(read("💥".repeat(200))).toMatchObject({ [name]: "💥".repeat(200), warnings: [] });
    expect(read("💥".repeat(250_000))).toMatchObject({ [name]: "💥".repeat(200), warnings: ["name_cut"] });
  });

  it("replaces what is no character in a name, which is only shown", () => {
    const { shift } = readShift({ ...SHIFT, slots: 1, outletName: "a\ud800b" }, ZONE);
    expect(shift).toMatchObject({ outletName: "a\ufffdb", warnings: [] });
  });

  it("warns of an assumed zone and of a status that it does not know", () => {
    const local = {
      startTime: "2026-03-28T22:00:00",
      endTime: "2026-03-29T06:00:00",
      slots: 1,
      status: "paused",
    };
    const { shift } = readShift({ ...SHIFT, ...local }, ZONE);
    expect(shift).toMatchObject({
      startTime: "2026-03-28T21:00:00.000Z",
      endTime: "2026-03-29T04:00:00.000Z",
      warnings: ["time_without_offset", "status_unknown"],
    });
  });

  it.each([{ startTime: "2026-03-28T22:00:00" }, { endTime: "2026-03-29T06:00:00" }])(
    "warns of the zone of %j alone",
    (time) => {
      const { shift } = readShift({ ...SHIFT, slots: 1, ...time }, ZONE);
      expect(shift?.warnings).toEqual(["time_without_offset"]);
    },
  );
});

describe("dialects", () => {
  const all = everyDialect();

  it("are 32, all different, by value and by name", () => {
    expect(all).toHaveLength(32);
    expect(new Set(all.map((dialect) => JSON.stringify(dialect))).size).toBe(32);
    expect(new Set(all.map(dialectName)).size).toBe(32);
  });

  it("are every combination of two forms of five choices", () => {
    const choices: { [Form in keyof Dialect]: Dialect[Form][] } = {
      routing: ["path", "header"],
      variant: ["a", "b"],
      notFound: ["empty", "404"],
      unassign: ["put", "delete"],
      acknowledgement: ["minimal", "full"],
    };
    for (const [form, values] of Object.entries(choices)) {
      for (const value of values) {
        expect(all.filter((dialect) => dialect[form as keyof Dialect] === value)).toHaveLength(16);
      }
    }
    for (const dialect of all) expect(Object.keys(dialect).sort()).toEqual(Object.keys(choices).sort());
  });

  it("have names that a test can show", () => {
    expect(all.map(dialectName)).toContain("path a empty put minimal");
    expect(all.map(dialectName)).toContain("header b 404 delete full");
  });
});
