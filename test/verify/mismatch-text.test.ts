import { describe, expect, it } from "vitest";
import { mismatchTexts } from "../../src/verify/pact/mismatch-text.ts";
import type { Mismatch } from "../../src/verify/pact/mismatches.ts";

const wrongType = (place: string): Mismatch => ({
  kind: "another type",
  place,
  wanted: "a number",
  received: "a string",
});

describe("a mismatch with a contract is described like every other finding:", () => {
  it.each<[string, Mismatch[], string, string]>([
    ["a status", [{ kind: "status", wanted: [204], received: 404 }], "does it: status 204", "status 404"],
    [
      "one of several statuses",
      [{ kind: "status", wanted: [201, 200], received: 404 }],
      "does it: status 200 or 201",
      "status 404",
    ],
    [
      "fields that are missing",
      [{ kind: "missing", place: "$[*]", names: ["name", "id"] }],
      "does it: every field that the contract lists",
      "[*].id, [*].name are missing",
    ],
    [
      "a field of another type",
      [wrongType("$.slots")],
      "does it: slots: a number",
      "slots: received a string",
    ],
    [
      "a body of another type",
      [{ kind: "another type", place: "$", wanted: "an array", received: "an object" }],
      "does it: the body: an array",
      "the body: received an object",
    ],
    ["no JSON", [{ kind: "no JSON" }], "does it: a JSON body", "a body that is not JSON"],
    [
      "too few entries",
      [{ kind: "too few", place: "$.assignedCandidates", least: 1 }],
      "does it: assignedCandidates: at least 1 of them",
      "assignedCandidates: received fewer",
    ],
    [
      "a string in another form",
      [{ kind: "another form", place: "$.startTime", received: "a string" }],
      "does it: startTime: the form that the contract lists",
      "startTime: received a string in another form",
    ],
  ])("%s", (_, mismatches, expected, actual) => {
    const texts = mismatchTexts("does it", mismatches);
    expect(texts).toMatchObject({ expected, actual });
    expect(texts.fix).toMatch(/^[A-Z].*\.$/);
  });

  it("with the same texts for another order and another entry", () => {
    const one = mismatchTexts("does it", [wrongType("$[*].a"), wrongType("$[*].b")]);
    const other = [wrongType("$[*].b"), wrongType("$[*].a"), wrongType("$[*].b")];
    expect(mismatchTexts("does it", other)).toEqual(one);
  });
});
