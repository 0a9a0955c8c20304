import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { adapted } from "../../src/verify/compare/document.ts";
import type { PactResponse } from "../../src/verify/contracts.ts";
import { mismatchesOf, mismatchTexts } from "../../src/verify/pact/mismatches.ts";

const type = { matchers: [{ match: "type" }] };
const wanting = (content: unknown, rules = {}): PactResponse => ({
  status: 200,
  body: { content },
  matchingRules: { body: { $: type, ...rules } },
});
const textsFor = (response: PactResponse, json: unknown, status = 200) =>
  mismatchTexts("does it", mismatchesOf(response, { status, json }));

describe("a mismatch with a contract is described like every other finding:", () => {
  it.each<[string, PactResponse, unknown, string, string]>([
    [
      "fields that are missing",
      wanting([{ name: "A", id: "1" }]),
      [{}],
      "does it: every field that the contract lists",
      "[*].id, [*].name are missing",
    ],
    [
      "a field of another type",
      wanting({ slots: 1 }),
      { slots: "1" },
      "does it: slots: a number",
      "slots: received a string",
    ],
    [
      "a body of another type",
      wanting([]),
      {},
      "does it: the body: an array",
      "the body: received an object",
    ],
    ["no JSON", wanting([]), undefined, "does it: a JSON body", "a body that is not JSON"],
    [
      "too few entries",
      wanting(
        { assignedCandidates: ["1"] },
        { "$.assignedCandidates": { matchers: [{ match: "type", min: 1 }] } },
      ),
      { assignedCandidates: [] },
      "does it: assignedCandidates: at least 1 of them",
      "assignedCandidates: received fewer",
    ],
    [
      "a string in another form",
      wanting({ startTime: "1" }, { "$.startTime": { matchers: [{ match: "regex", regex: "1" }] } }),
      { startTime: "2" },
      "does it: startTime: the form that the contract lists",
      "startTime: received a string in another form",
    ],
  ])("%s", (_, response, json, expected, actual) => {
    const texts = textsFor(response, json);
    expect(texts).toMatchObject({ expected, actual });
    expect(texts.fix).toMatch(/^[A-Z].*\.$/);
  });

  it("a status, with the statuses that are right", () => {
    const rules = { matchers: [{ match: "statusCode", status: [201, 200] }] };
    expect(textsFor({ status: 201, matchingRules: { status: { $: rules } } }, {}, 404)).toEqual({
      expected: "does it: status 200 or 201",
      actual: "status 404",
      fix: "Return status 200 or 201.",
    });
  });

  it("with the same texts for another order and another entry", () => {
    const response = wanting([{ a: 1, b: 1 }]);
    const one = textsFor(response, [{ a: "", b: "" }]);
    expect(
      textsFor(response, [
        { a: 1, b: "" },
        { a: "", b: "" },
      ]),
    ).toEqual(one);
  });
});

const ref = (index: number) => ({ $ref: `#/components/schemas/s${index}` });
const documentOf = (schemas: readonly object[]) => ({
  components: {
    schemas: Object.fromEntries(schemas.map((each, index) => [`s${index}`, each])) as Record<string, object>,
  },
});
const own = (index: number) => ({
  required: [`p${index}`, "p0"],
  properties: { [`p${index}`]: { type: "string", readOnly: true } },
});

it("reads each `allOf` three times at most, however they lead back to themselves", () => {
  const targets = fc.array(fc.array(fc.nat(30), { maxLength: 30 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(targets, (all) => {
      let reads = 0;
      const schemas = all.map((each, index) => ({
        ...own(index),
        get allOf() {
          reads += 1;
          return each.map(ref);
        },
      }));
      const document = documentOf(schemas);
      adapted(document, document);
      return reads <= 3 * schemas.length;
    }),
  );
});

it("requires no readOnly property of a schema that `allOf` leads to", () => {
  const document = documentOf([
    { required: ["p1", "p2", "mine"], allOf: [ref(1)] },
    { ...own(1), allOf: [ref(0), ref(2)] },
    { ...own(2), allOf: [ref(0)] },
  ]);
  const { components } = adapted(document, document) as typeof document;
  expect(components.schemas).toMatchObject({ s0: { required: ["mine"] }, s1: { required: ["p0"] } });
});
