import { describe, expect, it } from "vitest";
import { operationsTable } from "../../generated/operations/server.ts";
import { DEEDS, deedParts, deedTitle, fieldText } from "../../src/console/access/audit-sentence.tsx";

describe("an entry of the audit log", () => {
  it("has words for every operation that is recorded", () => {
    const recorded = operationsTable.filter(({ method }) => method !== "GET");
    expect(recorded.map(({ operationId }) => operationId).filter((each) => !(each in DEEDS))).toEqual([]);
  });

  it("names what it is about in its place", () => {
    expect(deedParts("acceptJob", { candidateId: "c", jobId: "j" })).toEqual({
      placed: ["accepted ", { kind: "jobId", id: "j" }, " for ", { kind: "candidateId", id: "c" }, ""],
      rest: [],
    });
  });

  it("lists the many people of one operation after it", () => {
    const { rest } = deedParts("importCandidates", { "candidateId 1": "a", "candidateId 2": "b" });
    expect(rest).toEqual([
      { kind: "candidateId", id: "a" },
      { kind: "candidateId", id: "b" },
    ]);
  });

  it("keeps the id of an operation that an earlier version recorded", () => {
    expect(deedParts("formerOperation", {}).placed).toEqual(["formerOperation"]);
  });

  it("is chosen by its words", () => {
    expect(deedTitle("withdrawBooking")).toBe("withdrew … from …");
  });

  it.each([
    ["competenceIds", "competences"],
    ["baseUrl", "base url"],
    ["outlets/12", "outlet 12"],
    ["assignedTo", "assigned to"],
  ])("names the field %s in words", (field, words) => {
    expect(fieldText(field)).toBe(words);
  });
});
