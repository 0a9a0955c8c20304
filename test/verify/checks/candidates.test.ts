import { describe, expect, it } from "vitest";
import { told } from "./faulty-provider.ts";
import { createsTwice, findsAll, forgets, ofOurs, refusesHires } from "./meaning-faults.ts";
import { type Case, playAndCompare } from "./play-and-compare.ts";
import { instead, refusal, spoil } from "./spoil.ts";

describe("what is wrong with candidates is found:", () => {
  const other = "another";
  const cases: readonly Case[] = [
    [
      "a creation that is refused",
      instead("createCandidate", refusal(400)),
      "request_refused createCandidate",
    ],
    ["a hire that is refused", refusesHires(), "request_refused createCandidate"],
    ["a person who is not stored", forgets(), "create_without_effect findCandidates"],
    [
      "another name",
      spoil("createCandidate", (body) => ({ ...body, lastName: "Else" })),
      "candidate_differs createCandidate",
    ],
    [
      "another number",
      spoil("createCandidate", (body) => ({ ...body, personalNumber: "197603212387" })),
      "candidate_differs createCandidate",
    ],
    [
      "no phone",
      spoil("createCandidate", ({ phone: _, ...body }) => body),
      "candidate_differs createCandidate",
    ],
    [
      "another name once found",
      ofOurs((one) => [{ ...one, firstName: "Else" }]),
      "candidate_differs findCandidates",
    ],
    ["another id once found", ofOurs((one) => [{ ...one, id: other }]), "candidate_unstable findCandidates"],
    [
      "two people once found",
      ofOurs((one) => [one, { ...one, id: other }]),
      "lookup_ambiguous findCandidates",
    ],
    ["everybody is found", findsAll(), "lookup_ignores_query findCandidates"],
  ];

  it.each(cases)("%s", async (_, faults, expected) => {
    const { verification, isAsBefore } = await playAndCompare({ faults });
    expect(told(verification)).toEqual([expected]);
    isAsBefore();
  });

  it("a person who is created twice, which is worth a warning", async () => {
    const { verification } = await playAndCompare({ faults: createsTwice() });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual(["candidate_twice createCandidate"]);
  });

  it("a hyphenated form that is refused, which is worth a warning", async () => {
    const faults = instead("findCandidates", ({ url }) =>
      /\d{8}-\d{4}/.test(url) ? refusal(400) : undefined,
    );
    const { verification } = await playAndCompare({ faults });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toContain("number_form_ignored findCandidates");
  });
});
