import { describe, expect, it } from "vitest";
import type { OperationId } from "../../../src/verify/exchange.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { dialects, hyphenatedOnly } from "./dialects.ts";
import { codesOf, type Faults, KNOWN_NUMBER, run } from "./faulty-provider.ts";
import { type Body, instead, refusal, sometimes, spoil, spoilList, turns } from "./spoil.ts";

const options = { only: ["answers"] } satisfies Partial<VerifyOptions>;

describe("the responses of a correct provider", () => {
  it.each(dialects)("cause no finding: %s", async (_, dialect) => {
    const { verification } = await run({ dialect, options });
    expect(verification.findings.filter(({ severity }) => severity !== "skipped")).toEqual([]);
    expect(verification.passed.filter(({ group }) => group === "answers").length).toBeGreaterThan(6);
  });

  it("cause one warning when only the hyphenated number finds candidates", async () => {
    const { verification } = await run({ dialect: hyphenatedOnly, options });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual(["number_form_ignored findCandidates"]);
    expect(verification.forms.numbers).toBe("hyphenated");
  });

  it("may list entries in a different order each time", async () => {
    const turn = turns();
    const faults = spoilList("listOutlets", (list) => (turn() % 2 ? list.toReversed() : list));
    expect(codesOf((await run({ faults, options })).verification)).toEqual([]);
  });

  it("are read with GET only in a read-only run", async () => {
    const methods = new Set<string>();
    const faults: Faults = { before: ({ method }) => void methods.add(method) };
    const { verification } = await run({ faults, options: { ...options, readOnly: true } });
    expect([...methods]).toEqual(["GET"]);
    expect(codesOf(verification)).toEqual([]);
  });

  it("leave requirements that a client cannot observe unchecked, once each", async () => {
    const { findings } = (await run({ options })).verification;
    const notVisible = findings.filter(
      ({ code, title }) => code === "skipped_not_visible" && /^calls/.test(title),
    );
    expect(notVisible.map(({ count }) => count)).toEqual([1, 1]);
  });

  it("are not checked where fixtures are missing", async () => {
    const { verification } = await run({ options: { ...options, fixtures: {} } });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_not_prepared findCandidates");
  });
});

describe("a violation in responses is reported:", () => {
  const CASES: readonly (readonly [string, Faults, string])[] = [
    ["an outlet that is not listed", spoilList("listOutlets", () => []), "outlet_unknown listOutlets"],
    ["a role that is not listed", spoilList("listRoles", (list) => list.slice(1)), "role_unknown listRoles"],
    ["outlets that are refused", instead("listOutlets", refusal(404)), "request_refused listOutlets"],
    ["a read that is occasionally refused", refusesSome("listRoles"), "answer_unstable listRoles"],
    ["a shift that is occasionally refused", refusesSome("getShift"), "answer_unstable getShift"],
    [
      "a shift with unstable times",
      unsteady("getShift", (body) => ({ ...body, endTime: "2099-01-01T00:00:00Z" })),
      "answer_unstable getShift",
    ],
    [
      "an outlet that is occasionally missing",
      unsteady("listOutlets", (body) => [(body as unknown as readonly Body[])[0]]),
      "answer_unstable listOutlets",
    ],
    ["an unstable lookup", unsteady("findCandidates", () => []), "answer_unstable findCandidates"],
    ["a known candidate who is not found", onKnown(() => []), "lookup_misses findCandidates"],
    ["a lookup that is refused", instead("findCandidates", refusal(400)), "request_refused findCandidates"],
    [
      "a different id than the known one",
      onKnown(([one]) => [{ ...one, id: "another" }]),
      "candidate_unstable findCandidates",
    ],
    [
      "two candidates with one number",
      onKnown(([one]) => [one, { ...one, id: "another" }]),
      "lookup_ambiguous findCandidates",
    ],
    [
      "a candidate with another number",
      onKnown(([one]) => [one, { ...one, id: "another", personalNumber: "197606252380" }]),
      "lookup_ignores_query findCandidates",
    ],
  ];

  it.each(CASES)("%s", async (_, faults, expected) => {
    const { verification } = await run({ faults, options });
    expect(codesOf(verification)).toEqual([expected]);
  });

  it("without the number of a possibly real person", async () => {
    const { verification } = await run({ faults: onKnown(() => []), options });
    const text = JSON.stringify(verification);
    expect(text).not.toContain(KNOWN_NUMBER);
    expect(text).not.toContain("18900116-9813");
  });
});

/** Changes lookups of the known candidate. */
function onKnown(change: (list: readonly Body[]) => readonly unknown[]): Faults {
  return spoilList("findCandidates", (list) =>
    list.some(({ personalNumber }) => personalNumber === KNOWN_NUMBER) ? change(list) : list,
  );
}

function unsteady(operation: OperationId, change: (body: Body) => unknown): Faults {
  const isSpoilt = sometimes();
  return spoil(operation, (body) => (isSpoilt() ? change(body) : body));
}

function refusesSome(operation: OperationId): Faults {
  const isSpoilt = sometimes();
  return instead(operation, () => (isSpoilt() ? refusal(404) : undefined));
}
