import { describe, expect, it } from "vitest";
import type { OperationId } from "../../../src/verify/exchange.ts";
import type { VerifyOptions } from "../../../src/verify/options.ts";
import { dialects, hyphenatedOnly } from "./dialects.ts";
import { type Faults, KNOWN_NUMBER, play, told } from "./faulty-provider.ts";
import { type Body, instead, refusal, sometimes, spoil, spoilList, turns } from "./spoil.ts";

const options = { only: ["answers"] } satisfies Partial<VerifyOptions>;

describe("the answers of a correct provider", () => {
  it.each(dialects)("are right: %s", async (_, dialect) => {
    const { verification } = await play({ dialect, options });
    expect(verification.findings.filter(({ severity }) => severity !== "skipped")).toEqual([]);
    expect(verification.passed.filter(({ group }) => group === "answers").length).toBeGreaterThan(6);
  });

  it("are right with one warning when people are found under the hyphenated form only", async () => {
    const { verification } = await play({ dialect: hyphenatedOnly, options });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual(["number_form_ignored findCandidates"]);
    expect(verification.forms.numbers).toBe("hyphenated");
  });

  it("are right when a list comes in another order each time", async () => {
    const turn = turns();
    const faults = spoilList("listOutlets", (list) => (turn() % 2 ? list.toReversed() : list));
    expect(told((await play({ faults, options })).verification)).toEqual([]);
  });

  it("are read with GET only when read-only", async () => {
    const methods = new Set<string>();
    const faults: Faults = { before: ({ method }) => void methods.add(method) };
    const { verification } = await play({ faults, options: { ...options, readOnly: true } });
    expect([...methods]).toEqual(["GET"]);
    expect(told(verification)).toEqual([]);
  });

  it("leave open what cannot be seen from outside, once each", async () => {
    const { findings } = (await play({ options })).verification;
    const notVisible = findings.filter(
      ({ code, title }) => code === "skipped_not_visible" && /^calls/.test(title),
    );
    expect(notVisible.map(({ count }) => count)).toEqual([1, 1]);
  });

  it("are skipped where nothing was given", async () => {
    const { verification } = await play({ options: { ...options, fixtures: {} } });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "skipped")).toContain("skipped_not_prepared findCandidates");
  });
});

describe("what is wrong with answers is found:", () => {
  const CASES: readonly (readonly [string, Faults, string])[] = [
    ["an outlet that is not listed", spoilList("listOutlets", () => []), "outlet_unknown listOutlets"],
    ["a role that is not listed", spoilList("listRoles", (list) => list.slice(1)), "role_unknown listRoles"],
    ["outlets that are refused", instead("listOutlets", refusal(404)), "request_refused listOutlets"],
    ["a read that is refused now and then", refusesSome("listRoles"), "answer_unstable listRoles"],
    ["a shift that is refused now and then", refusesSome("getShift"), "answer_unstable getShift"],
    [
      "a shift whose times come and go",
      unsteady("getShift", (body) => ({ ...body, endTime: "2099-01-01T00:00:00Z" })),
      "answer_unstable getShift",
    ],
    [
      "an outlet that comes and goes",
      unsteady("listOutlets", (body) => [(body as unknown as readonly Body[])[0]]),
      "answer_unstable listOutlets",
    ],
    ["a person who comes and goes", unsteady("findCandidates", () => []), "answer_unstable findCandidates"],
    ["a known person who is not found", onKnown(() => []), "lookup_misses findCandidates"],
    ["a lookup that is refused", instead("findCandidates", refusal(400)), "request_refused findCandidates"],
    [
      "another id than the known one",
      onKnown(([one]) => [{ ...one, id: "another" }]),
      "candidate_unstable findCandidates",
    ],
    [
      "two people with one number",
      onKnown(([one]) => [one, { ...one, id: "another" }]),
      "lookup_ambiguous findCandidates",
    ],
    [
      "somebody who was not asked for",
      onKnown(([one]) => [one, { ...one, id: "another", personalNumber: "197606252380" }]),
      "lookup_ignores_query findCandidates",
    ],
  ];

  it.each(CASES)("%s", async (_, faults, expected) => {
    const { verification } = await play({ faults, options });
    expect(told(verification)).toEqual([expected]);
  });

  it("never with the number of somebody who may be real", async () => {
    const { verification } = await play({ faults: onKnown(() => []), options });
    const text = JSON.stringify(verification);
    expect(text).not.toContain(KNOWN_NUMBER);
    expect(text).not.toContain("18900116-9813");
  });
});

/** Spoils lookups of the known person. */
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
