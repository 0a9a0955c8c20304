import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../src/contract/timestamp.ts";
import { codesOf, KNOWN_NUMBER } from "../../harness/faulty-provider.ts";
import { acceptsMore, assignsAndRefuses, createsOnce, returnsOldTimes, toggles } from "./meaning-faults.ts";
import { type Body, type Case, options, runAndCompare, spoil } from "./spoil.ts";

describe("a correct provider", () => {
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
      options: { ...options, now: () => Date.now() + 48 * HOUR_MS },
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
});

describe("a violation is reported:", () => {
  const cases: readonly Case[] = [
    ["an update that returns the previous times", returnsOldTimes(), "update_without_effect updateShift"],
    ["a repetition that unassigns the candidate", toggles(), "assign_not_idempotent assignCandidate"],
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
