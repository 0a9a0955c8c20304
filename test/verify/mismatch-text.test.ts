import { describe, expect, it } from "vitest";
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
