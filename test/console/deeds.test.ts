import { describe, expect, it } from "vitest";
import { operationsTable } from "../../generated/operations/server.ts";
import type { Candidate, Membership } from "../../generated/operations/types.ts";
import { DEEDS, deedParts, deedTitle, fieldText } from "../../src/console/access/audit-sentence.tsx";
import { nameOf } from "../../src/console/data/names.ts";

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

const ID = "01a2090a-8965-7561-afea-5f20ecad21f7";
const member = (providerId: string, firstName: string): Membership => ({
  providerId,
  firstName,
  lastName: "Ek",
  email: "",
  phone: "",
  competenceIds: [],
  since: "2026-11-20T08:00:00.000Z",
  released: false,
});

describe("the name of a candidate at an organisation", () => {
  const person: Candidate = {
    candidateId: ID,
    personalNumber: "1976****-****",
    firstName: "Mallory",
    lastName: "Ek",
    email: "",
    phone: "",
    competenceIds: [],
    shared: false,
    memberships: [member("hostile", "Mallory"), member("hospital", "Anna")],
    conflicts: ["name"],
  };
  it.each([
    ["that of its own registry", person, "hospital", "Anna Ek"],
    ["not that of another registry", person, "third", "candidate 01a2090a…"],
    [
      "the company's once there is one",
      { ...person, shared: true, firstName: "Anja" },
      "hospital",
      "Anja Ek",
    ],
    ["that of the list where no organisation is concerned", person, undefined, "Mallory Ek"],
    ["no name after an erasure", undefined, "hospital", "candidate 01a2090a…"],
  ])("is %s", (_, candidate, providerId, name) => {
    expect(nameOf(ID, { candidate: () => candidate }, providerId)).toBe(name);
  });
});
