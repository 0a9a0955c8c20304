import { describe, expect, it } from "vitest";
import type { Candidate, Membership } from "../../generated/operations/types.ts";
import { nameOf } from "../../src/console/data/names.ts";

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
