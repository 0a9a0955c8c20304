import { describe, expect, it } from "vitest";
import { dialects, hyphenatedOnly } from "./dialects.ts";
import { type Faults, KNOWN_NUMBER, play, told } from "./faulty-provider.ts";
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
  storesOnly,
  takesOff,
  tellsOldTimes,
  toggles,
} from "./meaning-faults.ts";
import { type Case, options, playAndCompare, withSomebodyOn } from "./play-and-compare.ts";
import { type Body, instead, noContent, refusal, sometimes, spoil, turns } from "./spoil.ts";

describe("a correct provider", () => {
  it.each(dialects)("is left as it was, with nothing wrong: %s", async (_, dialect) => {
    const { verification, isAsBefore } = await playAndCompare({ dialect });
    expect(verification.findings.filter(({ severity }) => severity !== "skipped")).toEqual([]);
    expect(verification.passed.filter(({ group }) => group === "meaning").length).toBeGreaterThan(12);
    isAsBefore();
  });

  it("gets one warning when people are found under the hyphenated form only", async () => {
    const { verification, isAsBefore } = await playAndCompare({ dialect: hyphenatedOnly });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual(["number_form_ignored findCandidates"]);
    isAsBefore();
  });

  it("keeps somebody of its own on the shift, and a full shift full", async () => {
    const { verification, isAsBefore } = await playAndCompare({
      prepare: (sandbox) => {
        const { id } = sandbox.addCandidate({ personalNumber: "189005069811" });
        const assigned = new Map([[id, new Date().toISOString()]]);
        const { shift } = sandbox.createShift({ positions: 1 });
        shift.assigned = assigned;
        return { fixtures: { shiftId: shift.id, knownPersonalNumber: "189005069811", knownCandidateId: id } };
      },
    });
    expect(told(verification)).toEqual([]);
    isAsBefore();
  });

  it("is not accused when its shift has started", async () => {
    const { verification, isAsBefore } = await playAndCompare({
      options: { ...options, now: () => Date.now() + 48 * 3_600_000 },
    });
    expect(told(verification)).toEqual([]);
    const skips = told(verification, "skipped");
    expect(skips).toContain("skipped_not_prepared updateShift");
    expect(skips).toContain("skipped_not_prepared assignCandidate");
    isAsBefore();
  });

  it("may accept one more than a shift has positions", async () => {
    const { verification, isAsBefore } = await playAndCompare({ faults: acceptsMore() });
    expect(told(verification)).toEqual([]);
    expect(verification.forms.full).toBe("accepted");
    isAsBefore();
  });

  it("may answer the same person again with the same candidate", async () => {
    const { verification } = await playAndCompare({ faults: createsOnce() });
    expect([...told(verification), ...told(verification, "warning")]).toEqual([]);
  });

  it("gets GET requests only when read-only", async () => {
    const methods = new Set<string>();
    const faults: Faults = { before: ({ method }) => void methods.add(method) };
    const { verification } = await playAndCompare({ faults, options: { ...options, readOnly: true } });
    expect([...methods]).toEqual(["GET"]);
    expect(told(verification)).toEqual([]);
    expect(told(verification, "skipped")).toContain("skipped_read_only createCandidate");
  });
});

describe("what is wrong with updates is found:", () => {
  const cases: readonly Case[] = [
    ["an update that stores nothing", instead("updateShift", noContent), "update_without_effect updateShift"],
    ["an update without times", storesOnly("slots"), "update_without_effect updateShift"],
    ["an update without positions", storesOnly("startTime", "endTime"), "update_without_effect updateShift"],
    ["an answer that holds the times before", tellsOldTimes(), "update_without_effect updateShift"],
    ["an update that is not offered", instead("updateShift", refusal(405)), "request_refused updateShift"],
    ["an update that takes everybody off", takesOff(), "shift_changed_unasked updateShift"],
  ];

  it.each(cases)("%s", async (_, faults, expected) => {
    const { verification } = await playAndCompare({ faults, prepare: withSomebodyOn });
    expect(told(verification)).toEqual([expected]);
  });

  it.each(["updateShift", "assignCandidate", "unassignCandidate"] as const)(
    "%s moves the shift to another outlet, where it stays",
    async (operation) => {
      const { verification } = await play({ faults: moves(operation), options: { only: ["meaning"] } });
      expect(told(verification)).toEqual(["not_restored updateShift", `shift_changed_unasked ${operation}`]);
      const left = verification.findings.find(({ code }) => code === "not_restored");
      expect(left?.actual).toMatch(/ has another outletId$/);
    },
  );

  it.each([409, 422])("a refusal with %i, which is worth a warning", async (status) => {
    const { verification, isAsBefore } = await playAndCompare({
      faults: instead("updateShift", refusal(status)),
    });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual([
      "error_not_problem provider",
      "update_refused updateShift",
    ]);
    isAsBefore();
  });
});

describe("what is wrong with assignments is found:", () => {
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
    ["a repetition that takes the candidate off", toggles(), "assign_not_idempotent assignCandidate"],
    ["an assignment that replaces another", replaces(), "shift_changed_unasked assignCandidate"],
    ["an unassignment of everybody", emptiesShift(), "shift_changed_unasked unassignCandidate"],
    ["an update that unassigns", takesOff(), "shift_changed_unasked updateShift"],
    [
      "an unassignment (PUT) that does nothing",
      instead("unassignCandidate", noContent),
      "unassign_without_effect unassignCandidate",
    ],
    [
      "an unassignment (DELETE) that does nothing",
      instead("deleteAssignment", noContent),
      "unassign_without_effect deleteAssignment",
    ],
    [
      "a refused assignment to a full shift that happens",
      assignsAndRefuses(),
      "shift_changed_unasked assignCandidate",
    ],
  ];

  it.each(cases)("%s", async (_, faults, expected) => {
    const { verification } = await playAndCompare({ faults });
    expect(told(verification)).toEqual([expected]);
  });

  it("two entries for the same assignment", async () => {
    const { verification } = await playAndCompare({ faults: listsTwice() });
    expect(told(verification)).toEqual(["assign_not_idempotent assignCandidate", "duplicate_id getShift"]);
  });

  it("somebody else's number in the shift (variant B)", async () => {
    const wrongNumber = spoil("getShift", (body) => ({
      ...body,
      assignedCandidates: (body.assignedCandidates as Body[]).map((each) => ({
        ...each,
        personalNumber: KNOWN_NUMBER,
      })),
    }));
    const { verification } = await playAndCompare({ dialect: { variant: "b" }, faults: wrongNumber });
    expect(told(verification)).toEqual(["candidate_differs getShift"]);
  });
});

describe("forms that are mixed are found:", () => {
  it("an update that is answered with the other variant", async () => {
    const faults = spoil("updateShift", ({ slots, outletName: _, roleName: __, ...body }) => ({
      ...body,
      ...{ numberOfPositions: slots, breakMinutes: 0, status: "open", description: null },
      ...{ createdAt: "2026-01-01T00:00:00Z", updatedAt: "2026-01-01T00:00:00Z" },
      assignedCandidates: [],
    }));
    const { verification } = await playAndCompare({ faults });
    expect(told(verification)).toEqual(["dialect_mixed updateShift"]);
  });

  it("an acknowledgement that changes, which is worth a warning", async () => {
    const turn = turns();
    const faults = spoil("assignCandidate", (body) => (turn() % 2 ? body : { success: true }));
    const { verification } = await playAndCompare({ faults });
    expect(told(verification)).toEqual([]);
    expect(told(verification, "warning")).toEqual(["form_mixed assignCandidate"]);
  });

  it("404 and an empty list for nobody, which is worth a warning", async () => {
    const isSpoilt = sometimes();
    const faults: Faults = {
      after: (reply, { operation }) =>
        operation === "findCandidates" && reply.body === "[]" && isSpoilt() ? refusal(404) : undefined,
    };
    const { verification } = await playAndCompare({ faults: { ...forgets(), ...faults } });
    expect(told(verification, "warning")).toContain("form_mixed findCandidates");
  });
});
