import fc, { type Arbitrary } from "fast-check";
import type { ShiftUpdate } from "../../../generated/provider/types.ts";
import { HIRE_DETAILS, payloadOf } from "../test-candidates.ts";

/** Texts that break quoting, encoding or templates. */
const NASTY = [
  "'",
  '"',
  "%",
  "%25",
  "\\",
  ";--",
  "\u0000",
  "\r\n",
  "*",
  "{{7*7}}",
  "$(id)",
  "<b>",
  "\u202E",
  "\u{1F469}\u200D\u{1F373}",
  "NaN",
  "-1",
];

/**
 * Characters of each kind: ASCII, control, Latin-1, combining, right to left, other scripts, beyond the basic plane. The Unicode units
 * of fast-check take seconds to initialise.
 */
const CHARACTERS = [
  ..."abcXYZ0189 _-.,:/?#&=+@!()[]{}|^~`<>\"'",
  ..."\u0001\t\u001B\u007F\u00A0åÄöéß\u0301\u200B\u05D0\u0639漢字ไ\uFEFF\uFFFE",
  "\u{1D518}",
  "\u{1F600}",
  "\u{10FFFF}",
];

/** Any well-formed text, without lone surrogates. */
export const texts: Arbitrary<string> = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.string({ unit: fc.constantFrom(...CHARACTERS), maxLength: 40 }),
);

/** Ids that are one segment of a path. */
export const segments: Arbitrary<string> = texts.filter((text) => !["", ".", ".."].includes(text));

/** JSON that is neither a text nor null, which may mean "not given". */
const noText: Arbitrary<unknown> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.array(texts, { maxLength: 3 }),
  fc.dictionary(texts, texts, { maxKeys: 3 }),
);

const noTime: Arbitrary<unknown> = fc.oneof(
  noText,
  texts.filter((text) => Number.isNaN(Date.parse(text))),
);

const noCount: Arbitrary<unknown> = fc.oneof(
  texts.filter((text) => Number.isNaN(Number(text))),
  fc.array(texts, { minLength: 2, maxLength: 3 }),
  fc.dictionary(texts, texts, { maxKeys: 3 }),
  fc.double({ min: 0.1, max: 0.9, noNaN: true }),
);

/** Returns updates with one or more invalid members. Positions are sent under both names. */
export function wrongUpdates(right: ShiftUpdate): Arbitrary<object> {
  const wrong = fc.record({ startTime: noTime, endTime: noTime, slots: noCount });
  const names = fc.subarray(["startTime", "endTime", "slots"] as const, { minLength: 1 });
  return fc.tuple(wrong, names).map(([values, chosen]) => {
    const members = Object.fromEntries(chosen.map((name) => [name, values[name]]));
    return { ...right, ...members, ...("slots" in members && { numberOfPositions: members.slots }) };
  });
}

const members = Object.keys({ ...payloadOf(""), ...HIRE_DETAILS }).filter(
  (name) => name !== "personalNumber",
);

export const wrongCreations: Arbitrary<object> = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...members), fc.oneof(texts, noText)),
    fc.option(
      fc.oneof(fc.constantFrom(null, "", 0, -1), fc.boolean(), fc.dictionary(texts, texts, { maxKeys: 3 })),
    ),
  )
  .map(([rest, personalNumber]) => (personalNumber === null ? rest : { ...rest, personalNumber }));
