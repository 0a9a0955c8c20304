import type { CandidateCreate, FieldError, ImportedPerson } from "../../../generated/operations/types.ts";
import { requests } from "../../../generated/operations/validators.js";
import {
  isBirthPlausible,
  type PersonalNumber,
  parsePersonalNumber,
} from "../../contract/personal-number.ts";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { addCompetences, competencesOf, offerTo, unknownCompetences } from "./competences.ts";

/** What the schema of a candidate does not express. */
export function errorsIn({ personalNumber }: CandidateCreate, now: Date): FieldError[] {
  const number = parsePersonalNumber(personalNumber);
  if (number && isBirthPlausible(number, now)) return [];
  const message = number
    ? "must be of someone who is born and may be alive: the century may be wrong"
    : "must be a Swedish personal number with a valid check digit";
  return [{ pointer: "/personalNumber", message }];
}

/** Adds those who are valid and not known, and returns the result for each; a preview adds no one. */
export async function importPeople(
  trx: Trx,
  deps: Deps,
  people: readonly unknown[],
  isPreview: boolean,
): Promise<ImportedPerson[]> {
  const competences = await trx.selectFrom("competences").select("competenceId").execute();
  const known = new Set(competences.map(({ competenceId }) => competenceId));
  const { body } = requests.createCandidate;
  const read = people.map((person) => {
    if (!body(person)) return { errors: body.errorsOf(person) };
    const errors = [...errorsIn(person, deps.now()), ...unknownCompetences(person.competenceIds, known)];
    return errors.length > 0 ? { errors } : { person, hash: hashOf(deps, person) };
  });
  const valid = read.flatMap(({ person, hash }) => (person ? [[hash, person] as const] : []));
  // The first of those with one number.
  const orders = new Map(valid.toReversed());
  const found = await trx
    .selectFrom("candidates")
    .select(["candidateId", "personalNumberHash"])
    .where("personalNumberHash", "in", [...orders.keys(), ""])
    .where("isShared", "=", true)
    .execute();
  for (const { personalNumberHash } of found) orders.delete(personalNumberHash ?? "");
  const added = isPreview ? [] : await addPeople(trx, deps, [...orders.values()]);
  const idOf = new Map([...orders.keys()].map((hash, index) => [hash, added[index]]));
  // Someone may have been added meanwhile.
  const isAdded = (hash: string) => orders.has(hash) && (isPreview || idOf.get(hash) !== undefined);
  for (const { candidateId, personalNumberHash } of found) idOf.set(personalNumberHash ?? "", candidateId);
  const subjects = added.flatMap((id, index) => (id ? [[`candidateId ${index + 1}`, id]] : []));
  deps.audit?.note({ subjects: Object.fromEntries(subjects) });
  return read.map(({ person, hash, errors = [] }) => {
    if (!person) return { outcome: "refused", errors };
    const candidateId = idOf.get(hash);
    const isFirst = orders.get(hash) === person;
    return { outcome: isFirst && isAdded(hash) ? "added" : "known", ...(candidateId && { candidateId }) };
  });
}

const hashOf = ({ numbers }: Pick<Deps, "numbers">, { personalNumber }: CandidateCreate): string =>
  numbers.hash(parsePersonalNumber(personalNumber) as PersonalNumber);

/** Adds people of different, valid personal numbers, and returns the id of each; undefined for one whom an operator has added before. */
export async function addPeople(
  trx: Trx,
  deps: Deps,
  orders: readonly CandidateCreate[],
): Promise<(string | undefined)[]> {
  if (orders.length === 0) return [];
  const at = deps.now();
  const rows = orders.map((order) => ({
    candidateId: deps.newId(),
    ...deps.numbers.columns(parsePersonalNumber(order.personalNumber) as PersonalNumber),
    firstName: order.firstName.normalize("NFC"),
    lastName: order.lastName.normalize("NFC"),
    email: order.email.normalize("NFC"),
    phone: order.phone,
    hire: order.hire ? deps.vault.seal(JSON.stringify(order.hire)) : null,
    language: order.language ?? null,
    employeeNumber: order.employeeNumber || null,
    isShared: true,
    createdAt: at,
    updatedAt: at,
  }));
  // A registry alone must not keep an operator from adding the person.
  const stored = await trx
    .insertInto("candidates")
    .values(rows.toSorted(byHash))
    .onConflict((conflict) =>
      conflict
        .column("personalNumberHash")
        .doUpdateSet(({ ref }) => Object.fromEntries(GIVEN.map((name) => [name, ref(`excluded.${name}`)])))
        .where("candidates.isShared", "=", false),
    )
    .returning(["candidateId", "personalNumberHash"])
    .execute();
  const ids = new Map(stored.map((row) => [row.personalNumberHash, row.candidateId]));
  // Adding an erased person again is the operator's decision: later imports include the person again.
  await trx
    .deleteFrom("erasedPeople")
    .where("numberHash", "in", [...ids.keys(), ""])
    .execute();
  const added = rows.map(({ personalNumberHash }) => ids.get(personalNumberHash));
  const able = orders.flatMap(({ competenceIds }, index) => {
    const candidateId = added[index];
    return candidateId === undefined
      ? []
      : [...new Set(competenceIds)].map((competenceId) => ({ candidateId, competenceId }));
  });
  await addCompetences(trx, deps, able);
  // A person whom only registries named before is valid everywhere now, with what operators have given already.
  await offerTo(trx, deps, await competencesOf(trx, [...ids.values()]));
  return added;
}

/** What a person whom a registry named before gets. */
const GIVEN = [
  "firstName",
  "lastName",
  "email",
  "phone",
  "hire",
  "language",
  "employeeNumber",
  "isShared",
  "updatedAt",
] as const;

interface Hashed {
  personalNumberHash: string;
}

/** Two imports of the same people lock them in one order. */
const byHash = (left: Hashed, right: Hashed) => (left.personalNumberHash < right.personalNumberHash ? -1 : 1);
