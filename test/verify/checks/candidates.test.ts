import { describe, expect, it } from "vitest";
import { codesOf } from "./faulty-provider.ts";
import { createsTwice, findsAll, forgets, ofOurs, refusesHires } from "./meaning-faults.ts";
import { type Case, runAndCompare } from "./run-and-compare.ts";
import { instead, refusal, spoil } from "./spoil.ts";

describe("a violation in candidates is reported:", () => {
  const other = "another";
  const cases: readonly Case[] = [
    ["a refused creation", instead("createCandidate", refusal(400)), "request_refused createCandidate"],
    ["a refused hire", refusesHires(), "request_refused createCandidate"],
    ["a candidate who is not stored", forgets(), "create_without_effect findCandidates"],
    [
      "a different name in the response",
      spoil("createCandidate", (body) => ({ ...body, lastName: "Else" })),
      "candidate_differs createCandidate",
    ],
    [
      "a different number in the response",
      spoil("createCandidate", (body) => ({ ...body, personalNumber: "197603212387" })),
      "candidate_differs createCandidate",
    ],
    [
      "a response without phone",
      spoil("createCandidate", ({ phone: _, ...body }) => body),
      "candidate_differs createCandidate",
    ],
    [
      "a different name in a lookup",
      ofOurs((one) => [{ ...one, firstName: "Else" }]),
      "candidate_differs findCandidates",
    ],
    ["a new id in a lookup", ofOurs((one) => [{ ...one, id: other }]), "candidate_unstable findCandidates"],
    [
      "two candidates in a lookup",
      ofOurs((one) => [one, { ...one, id: other }]),
      "lookup_ambiguous findCandidates",
    ],
    ["all candidates in a lookup", findsAll(), "lookup_ignores_query findCandidates"],
  ];

  it.each(cases)("%s", async (_, faults, expected) => {
    const { verification, isAsBefore } = await runAndCompare({ faults });
    expect(codesOf(verification)).toEqual([expected]);
    isAsBefore();
  });

  it("a candidate who is created twice, as a warning", async () => {
    const { verification } = await runAndCompare({ faults: createsTwice() });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual(["candidate_twice createCandidate"]);
  });

  it("a refused hyphenated form, as a warning", async () => {
    const faults = instead("findCandidates", ({ url }) =>
      /\d{8}-\d{4}/.test(url) ? refusal(400) : undefined,
    );
    const { verification } = await runAndCompare({ faults });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toContain("number_form_ignored findCandidates");
  });
});
