import type { RegistryFault } from "../../../generated/operations/types.ts";
import type { RegistryEntry } from "../../../generated/provider/types.ts";
import { schemas } from "../../../generated/provider/validators.js";
import { faultText, type ReadEntry } from "../../clients/provider/answer.ts";
import { type PersonalNumber, parsePersonalNumber } from "../../contract/personal-number.ts";
import { isStorable, isUsableId } from "../../contract/storable-text.ts";

/** What the platform reads of an entry of the registry (data minimisation). */
export interface RegisteredPerson {
  number: PersonalNumber;
  providerCandidateId: string;
  firstName: string;
  lastName: string;
  /** Empty: the provider knows none. */
  email: string;
  /** Empty: the provider knows none. */
  phone: string;
  /** Roles in which the person has worked. */
  roleIds: readonly string[];
}

/** Reads a page's entries one by one; `seen` grows by the people found. `entries`: how many came before this page. Faults hold no personal data. */
export function readPeople(
  candidates: readonly ReadEntry<RegistryEntry>[],
  { entries, seen }: { entries: number; seen: Set<string> },
): { people: RegisteredPerson[]; faults: RegistryFault[] } {
  const people: RegisteredPerson[] = [];
  const faults: RegistryFault[] = [];
  for (const [index, { entry, fault }] of candidates.entries()) {
    const person = entry ? personOf(entry) : faultText(fault);
    const place = entries + index + 1;
    if (typeof person === "string") faults.push({ entry: place, reason: person });
    else if (seen.has(person.number))
      faults.push({ entry: place, reason: "its personal number came before" });
    else {
      seen.add(person.number);
      people.push(person);
    }
  }
  return { people, faults };
}

/** The person, or why the entry cannot be used. */
function personOf(entry: RegistryEntry): RegisteredPerson | string {
  const number = parsePersonalNumber(entry.personalNumber.trim());
  if (!number) return "its personal number is not one";
  const [firstName, lastName] = [entry.firstName, entry.lastName].map((name) => name?.trim() ?? "");
  if (!firstName || !lastName) return "its name is missing";
  if (!isUsable(firstName, schemas.PersonName) || !isUsable(lastName, schemas.PersonName))
    return "its name is not usable";
  if (!isUsableId(entry.id)) return "its id is not usable";
  const [email, phone] = [entry.email, entry.phone].map((text) => text?.trim() ?? "");
  const roleIds = (entry.workHistory ?? []).flatMap(({ roleId }) => roleId ?? []);
  return {
    number,
    firstName,
    lastName,
    providerCandidateId: entry.id,
    // Without contact details the person can still be booked; the provider knows them by the personal number.
    email: email && isUsable(email, schemas.Email) ? email : "",
    phone: phone && isUsable(phone, schemas.Phone) ? phone : "",
    roleIds: roleIds.filter(isStorable),
  };
}

const isUsable = (text: string, schema: (value: unknown) => boolean) => schema(text) && isStorable(text);
