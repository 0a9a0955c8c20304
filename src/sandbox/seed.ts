import { randomUUID } from "node:crypto";
import type { CompleteOutlet, Role } from "../../generated/provider/types.ts";
import { type PersonalNumber, parsePersonalNumber } from "../contract/personal-number.ts";
import type { Organisation, StoredCandidate } from "./organisation.ts";

/**
 * Published test numbers of the Swedish Tax Agency (open data set b4de7df7-63c0-4e7e-bb59-1f156a591763), of people who do
 * not exist. They are copied from the sample in the repository's test data.
 */
const PEOPLE = [
  ["197209189294", "Astrid", "Lind"],
  ["197210119280", "Nils", "Berg"],
  ["197310319293", "Sara", "Ek"],
  ["197601172393", "Omar", "Dahl"],
] as const;

const OUTLETS = [
  ["Restaurang Stureplan", "Stureplan 2, Stockholm"],
  ["Kajen", "Skeppsbron 14, Göteborg"],
  ["Lager Syd", null],
] as const;

const ROLES = ["Waiter", "Cook", "Dishwasher", "Warehouse worker"] as const;

/** Returns an organisation as before its activation: outlets, roles and a few candidates, but no shift. */
export function seededOrganisation(
  { providerId, token }: Pick<Organisation, "providerId" | "token">,
  newId: () => string = randomUUID,
): Organisation {
  const outlets: CompleteOutlet[] = OUTLETS.map(([name, address]) => ({ id: newId(), name, address }));
  const roles: Role[] = ROLES.map((name) => ({ id: newId(), name }));
  const candidates = PEOPLE.map((person, index) => candidate(newId(), person, index));
  return {
    providerId: providerId.toLowerCase(),
    token,
    outlets,
    roles,
    shifts: new Map(),
    candidates: new Map(candidates.map((each) => [each.id, each])),
  };
}

function candidate(
  id: string,
  [number, firstName, lastName]: (typeof PEOPLE)[number],
  index: number,
): StoredCandidate {
  return {
    id,
    personalNumber: numberOf(number),
    firstName,
    lastName,
    email: `${firstName}.${lastName}@example.com`.toLowerCase(),
    phone: `+4670174060${index + 1}`,
    employeeNumber: String(1001 + index),
    address: "Storgatan 1",
    postCode: "11122",
    city: "Stockholm",
    countryCode: "se",
    workHistory: [],
  };
}

function numberOf(text: string): PersonalNumber {
  const number = parsePersonalNumber(text);
  if (number === undefined) throw new TypeError("a seeded personal number is not valid");
  return number;
}
