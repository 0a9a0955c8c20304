import { describe, expect, it } from "vitest";
import { type Mismatch, wordsOf } from "../../src/verify/pact/verdict.ts";

const body = (mismatch: Partial<Mismatch>): Mismatch => ({ type: "BodyMismatch", mismatch: "", ...mismatch });

describe("what the replay of a contract finds is told like every other finding:", () => {
  it.each<[string, Mismatch[], string, string]>([
    [
      "a status",
      [{ type: "StatusMismatch", mismatch: "expected 204 but was 404" }],
      "does it: status 204",
      "status 404",
    ],
    [
      "one of several statuses, and not the body of the refusal",
      [
        { type: "StatusMismatch", mismatch: "Expected status code 404 to be a 201, 200" },
        body({ path: "$", mismatch: "Actual map is missing the following keys: id" }),
      ],
      "does it: status 200 or 201",
      "status 404",
    ],
    [
      "fields that are missing",
      [body({ path: "$[0]", mismatch: "Actual map is missing the following keys: name, id" })],
      "does it: every field that the contract lists",
      "[*].id, [*].name are missing",
    ],
    [
      "a field of another type",
      [
        body({
          path: "$.slots",
          mismatch: "Expected '2' (String) to be ...",
          expected: "2",
          actual: '"secret"',
        }),
      ],
      "does it: slots: a number",
      "slots: received a text",
    ],
    [
      "a list that is an object",
      [body({ path: "$", mismatch: "Type mismatch: ...", expected: '[{"id":"1"}]', actual: "{}" })],
      "does it: the body: an array",
      "the body: received an object",
    ],
    [
      "no JSON",
      [body({ path: "/", mismatch: "Failed to parse the actual body: expected value" })],
      "does it: a JSON body",
      "a body that is not JSON",
    ],
    [
      "too few entries",
      [body({ path: "$.assignedCandidates", mismatch: "Expected [] (size 0) to have minimum size of 1" })],
      "does it: assignedCandidates: at least 1 of them",
      "assignedCandidates: received fewer",
    ],
  ])("%s", (_, mismatches, expected, actual) => {
    const words = wordsOf("does it", mismatches);
    expect(words).toMatchObject({ expected, actual });
    expect(words.mend).toMatch(/^[A-Z].*\.$/);
    expect(JSON.stringify(words)).not.toMatch(/\$|BodyMismatch|secret/);
  });

  it("the same for another order and another entry", () => {
    const wrong = (path: string) => body({ path, mismatch: "...", expected: "1", actual: '"1"' });
    const one = wordsOf("does it", [wrong("$[0].a"), wrong("$[0].b")]);
    expect(wordsOf("does it", [wrong("$[3].b"), wrong("$[1].a")])).toEqual(one);
  });
});
