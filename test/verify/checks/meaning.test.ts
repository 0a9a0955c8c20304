import { describe, expect, it } from "vitest";
import { dialects, hyphenatedOnly } from "./dialects.ts";
import { codesOf, type Faults, KNOWN_NUMBER, run } from "./faulty-provider.ts";
import {
  acceptsMore,
  assignsAndRefuses,
  createsOnce,
  emptiesShift,
  forgets,
  listsTwice,
  moves,
  refusesRepetition,
  replaces,
  returnsOldTimes,
  storesOnly,
  toggles,
  unassignsAll,
} from "./meaning-faults.ts";
import { type Case, options, runAndCompare, withAssigned } from "./run-and-compare.ts";
import { type Body, instead, noContent, refusal, sometimes, spoil, turns } from "./spoil.ts";

describe("a correct provider", () => {
  it.each(dialects)("has no finding, and is unchanged afterwards: %s", async (_, dialect) => {
    const { verification, isAsBefore } = await runAndCompare({ dialect });
    expect(verification.findings.filter(({ severity }) => severity !== "skipped")).toEqual([]);
    expect(verification.passed.filter(({ group }) => group === "meaning").length).toBeGreaterThan(12);
    isAsBefore();
  });

  it("gets one warning when only the hyphenated number finds candidates", async () => {
    const { verification, isAsBefore } = await runAndCompare({ dialect: hyphenatedOnly });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual(["number_form_ignored findCandidates"]);
    isAsBefore();
  });

  it("keeps its own candidate assigned, and a full shift full", async () => {
    const { verification, isAsBefore } = await runAndCompare({
      prepare: (sandbox) => {
        const { id } = sandbox.addCandidate({ personalNumber: "189005069811" });
        const assigned = new Map([[id, new Date().toISOString()]]);
        const { shift } = sandbox.createShift({ positions: 1 });
        shift.assigned = assigned;
        return { fixtures: { shiftId: shift.id, knownPersonalNumber: "189005069811", knownCandidateId: id } };
      },
    });
    expect(codesOf(verification)).toEqual([]);
    isAsBefore();
  });

  it("has no finding when its shift has started", async () => {
    const { verification, isAsBefore } = await runAndCompare({
      options: { ...options, now: () => Date.now() + 48 * 3_600_000 },
    });
    expect(codesOf(verification)).toEqual([]);
    const skips = codesOf(verification, "skipped");
    expect(skips).toContain("skipped_not_prepared updateShift");
    expect(skips).toContain("skipped_not_prepared assignCandidate");
    isAsBefore();
  });

  it("may accept more candidates than positions", async () => {
    const { verification, isAsBefore } = await runAndCompare({ faults: acceptsMore() });
    expect(codesOf(verification)).toEqual([]);
    expect(verification.forms.full).toBe("accepted");
    isAsBefore();
  });

  it("may return the existing candidate for a repeated creation", async () => {
    const { verification } = await runAndCompare({ faults: createsOnce() });
    expect([...codesOf(verification), ...codesOf(verification, "warning")]).toEqual([]);
  });

  it("receives GET only in a read-only run", async () => {
    const methods = new Set<string>();
    const faults: Faults = { before: ({ method }) => void methods.add(method) };
    const { verification } = await runAndCompare({ faults, options: { ...options, readOnly: true } });
    expect([...methods]).toEqual(["GET"]);
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "skipped")).toContain("skipped_read_only createCandidate");
  });
});

describe("a violation in updates is reported:", () => {
  const cases: readonly Case[] = [
    ["an update that stores nothing", instead("updateShift", noContent), "update_without_effect updateShift"],
    ["an update without times", storesOnly("slots"), "update_without_effect updateShift"],
    ["an update without positions", storesOnly("startTime", "endTime"), "update_without_effect updateShift"],
    ["a response with the previous times", returnsOldTimes(), "update_without_effect updateShift"],
    ["an update that is not offered", instead("updateShift", refusal(405)), "request_refused updateShift"],
    ["an update that unassigns all candidates", unassignsAll(), "shift_changed_unasked updateShift"],
  ];

  it.each(cases)("%s", async (_, faults, expected) => {
    const { verification } = await runAndCompare({ faults, prepare: withAssigned });
    expect(codesOf(verification)).toEqual([expected]);
  });

  it.each(["updateShift", "assignCandidate", "unassignCandidate"] as const)(
    "%s that moves the shift to another outlet permanently",
    async (operation) => {
      const { verification } = await run({ faults: moves(operation), options: { only: ["meaning"] } });
      const expected = ["not_restored updateShift", `shift_changed_unasked ${operation}`];
      expect(codesOf(verification)).toEqual(expected);
      const left = verification.findings.find(({ code }) => code === "not_restored");
      expect(left?.actual).toMatch(/ has a different outletId$/);
    },
  );

  it.each([409, 422])("a refusal with %i, as a warning", async (status) => {
    const { verification, isAsBefore } = await runAndCompare({
      faults: instead("updateShift", refusal(status)),
    });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual([
      "error_not_problem provider",
      "update_refused updateShift",
    ]);
    isAsBefore();
  });
});

describe("a violation in assignments is reported:", () => {
  const cases: readonly Case[] = [
    [
      "an assignment that stores nothing",
      instead("assignCandidate", noContent),
      "assign_without_effect assignCandidate",
    ],
    [
      "an assignment that is refused",
      instead("assignCandidate", refusal(400)),
      "request_refused assignCandidate",
    ],
    ["a repetition that is refused", refusesRepetition(), "assign_not_idempotent assignCandidate"],
    ["a repetition that unassigns the candidate", toggles(), "assign_not_idempotent assignCandidate"],
    ["an assignment that replaces another", replaces(), "shift_changed_unasked assignCandidate"],
    ["an unassignment of all candidates", emptiesShift(), "shift_changed_unasked unassignCandidate"],
    ["an update that unassigns", unassignsAll(), "shift_changed_unasked updateShift"],
    [
      "an unassignment (PUT) without effect",
      instead("unassignCandidate", noContent),
      "unassign_without_effect unassignCandidate",
    ],
    [
      "an unassignment (DELETE) without effect",
      instead("deleteAssignment", noContent),
      "unassign_without_effect deleteAssignment",
    ],
    [
      "a refused assignment to a full shift that takes effect",
      assignsAndRefuses(),
      "shift_changed_unasked assignCandidate",
    ],
  ];

  it.each(cases)("%s", async (_, faults, expected) => {
    const { verification } = await runAndCompare({ faults });
    expect(codesOf(verification)).toEqual([expected]);
  });

  it("two entries for the same assignment", async () => {
    const { verification } = await runAndCompare({ faults: listsTwice() });
    expect(codesOf(verification)).toEqual(["assign_not_idempotent assignCandidate", "duplicate_id getShift"]);
  });

  it("a wrong personal number in the shift (variant B)", async () => {
    const wrongNumber = spoil("getShift", (body) => ({
      ...body,
      assignedCandidates: (body.assignedCandidates as Body[]).map((each) => ({
        ...each,
        personalNumber: KNOWN_NUMBER,
      })),
    }));
    const { verification } = await runAndCompare({ dialect: { variant: "b" }, faults: wrongNumber });
    expect(codesOf(verification)).toEqual(["candidate_differs getShift"]);
  });
});

describe("a mixture of forms is reported:", () => {
  it("an update that returns the other variant", async () => {
    const faults = spoil("updateShift", ({ slots, outletName: _, roleName: __, ...body }) => ({
      ...body,
      ...{ numberOfPositions: slots, breakMinutes: 0, status: "open", description: null },
      ...{ createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" },
      assignedCandidates: [],
    }));
    const { verification } = await runAndCompare({ faults });
    expect(codesOf(verification)).toEqual(["dialect_mixed updateShift"]);
  });

  it("a changing acknowledgement, as a warning", async () => {
    const turn = turns();
    const faults = spoil("assignCandidate", (body) => (turn() % 2 ? body : { success: true }));
    const { verification } = await runAndCompare({ faults });
    expect(codesOf(verification)).toEqual([]);
    expect(codesOf(verification, "warning")).toEqual(["form_mixed assignCandidate"]);
  });

  it("both 404 and an empty list for no match, as a warning", async () => {
    const isSpoilt = sometimes();
    const faults: Faults = {
      after: (reply, { operation }) =>
        operation === "findCandidates" && reply.body === "[]" && isSpoilt() ? refusal(404) : undefined,
    };
    const { verification } = await runAndCompare({ faults: { ...forgets(), ...faults } });
    expect(codesOf(verification, "warning")).toContain("form_mixed findCandidates");
  });
});
