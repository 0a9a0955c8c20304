import type { RegistryFault } from "../../../../generated/operations/types.ts";
import type { RegistryEntry } from "../../../../generated/provider/types.ts";
import { schemas } from "../../../../generated/provider/validators.js";
import { type Failure, faultText, type ReadEntry } from "../../../clients/provider/answer.ts";
import type { ProviderClient, ProviderClientOptions } from "../../../clients/provider/client.ts";
import { MOST_REGISTERED } from "../../../clients/provider/http-error.ts";
import {
  isBirthPlausible,
  type PersonalNumber,
  parsePersonalNumber,
} from "../../../contract/personal-number.ts";
import { isStorable, shownLine } from "../../../contract/storable-text.ts";
import { readWithRetries } from "../clients.ts";

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
function readPeople(
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
  if (!isBirthPlausible(number, new Date())) return "its personal number may have the wrong century";
  const [firstName, lastName] = [entry.firstName, entry.lastName].map((name) => shownLine(name ?? ""));
  if (!firstName || !lastName) return "its name is missing";
  const isName = (name: string) => /[\p{L}\p{N}]/u.test(name);
  if (!isName(firstName) || !isName(lastName) || !isStorable(`${entry.firstName}${entry.lastName}`))
    return "its name is not usable";
  if (!isUsable(firstName, schemas.PersonName) || !isUsable(lastName, schemas.PersonName))
    return "its name is not usable";
  if (!isStorable(entry.id)) return "its id is not usable";
  const [email, phone] = [entry.email, entry.phone].map((text) => text?.trim().normalize("NFC") ?? "");
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

/** What the thread that reads a registry gets. */
export interface RegistryOrder {
  target: Pick<ProviderClientOptions, "baseUrl" | "providerId" | "token" | "routing">;
  traceId: string;
  /** The longest wait before each further try of a page. Milliseconds. */
  waitsMs: readonly number[];
}

/** A part of a registry. The places are from 1. */
export interface RegistryPart {
  people: RegisteredPerson[];
  first: number;
  last: number;
  invalid: number;
  /** How many entries the registry has; undefined before its last page. */
  total: number | undefined;
}

/** How the reading ended. */
export interface RegistryEnd {
  /** Pages that were read. */
  pages: number;
  faults: RegistryFault[];
  /** Why there are no more. */
  failure?: Failure | { kind: "absent" } | { kind: "too_many" };
}

const PAGE = 200;
const MOST_PAGES = 1_000;
const MOST_FAULTS = 100;

/** Reads a registry page by page, and stores it in parts of bounded length: a provider may ignore the limit. */
export async function readRegistry(
  client: Pick<ProviderClient, "openRegistry">,
  { traceId, waitsMs }: Omit<RegistryOrder, "target">,
  store: (part: RegistryPart) => Promise<unknown>,
): Promise<RegistryEnd> {
  const progress = { pages: 0, entries: 0, seen: new Set<string>(), faults: [] as RegistryFault[] };
  const ended = (failure?: RegistryEnd["failure"]): RegistryEnd => {
    const { pages, faults } = progress;
    return { pages, faults: faults.slice(0, MOST_FAULTS), ...(failure && { failure }) };
  };
  const cursors = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const read = await readWithRetries(() => client.openRegistry(query, { traceId }), { waitsMs });
    if (read.kind !== "page") return ended(read);
    const whole = progress.entries + read.page.count;
    if (whole > MOST_REGISTERED) return ended({ kind: "too_many" });
    const total = read.page.nextCursor === undefined ? whole : undefined;
    progress.pages += 1;
    for (const entries of inParts(read.page.candidates)) {
      const { people, faults } = readPeople(entries, progress);
      const first = progress.entries + 1;
      progress.entries += entries.length;
      progress.faults.push(...faults);
      await store({ people, first, last: progress.entries, invalid: faults.length, total });
    }
    cursor = read.page.nextCursor;
    if (cursor === undefined) return ended();
    const trouble = whyToStop(cursor, cursors, progress.pages);
    if (trouble !== undefined) progress.faults.push({ entry: progress.entries, reason: trouble });
    if (trouble !== undefined) return ended();
    cursors.add(cursor);
  }
}

function* inParts<T>(entries: Iterable<T>): Generator<T[]> {
  let part: T[] = [];
  for (const entry of entries) {
    part.push(entry);
    if (part.length < PAGE) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

/** A provider that gives cursors and then ignores them would be read endlessly. */
function whyToStop(cursor: string, before: Set<string>, pages: number): string | undefined {
  if (!cursor.isWellFormed())
    return "the import stopped after it: the provider gave a cursor that cannot be sent";
  if (before.has(cursor))
    return "the import stopped after it: the provider gave a cursor for the second time";
  if (pages >= MOST_PAGES) return `the import stopped after it: there are more than ${MOST_PAGES} pages`;
  return undefined;
}
