import type { Kysely, Selectable } from "kysely";
import type { Candidate, RevealedCandidate } from "../../../generated/operations/types.ts";
import { maskEmail, maskPhone } from "../../contract/masked-contact.ts";
import { maskPersonalNumber } from "../../contract/personal-number.ts";
import { unknownCandidate } from "../candidates/candidate.ts";
import {
  type Asserted,
  readAsserted,
  readCompetences,
  readConflicts,
  readUnsubscriptions,
} from "../candidates/sources.ts";
import type { CandidatesTable, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";

const SHOWN = [
  "candidate_id",
  "personal_number_sealed",
  "first_name",
  "last_name",
  "email",
  "phone",
  "language",
  "employee_number",
  "is_shared",
] as const;

type Shown = Pick<Selectable<CandidatesTable>, (typeof SHOWN)[number]>;

export const selectPeople = (db: Kysely<Schema>) =>
  db.selectFrom("candidates").select(SHOWN).where("erased_at", "is", null);

/** @throws ProblemError candidate_not_found, also for an erased person. */
export async function readView(
  deps: Pick<Deps, "numbers">,
  db: Kysely<Schema>,
  candidateId: string,
): Promise<Candidate> {
  const people = await selectPeople(db).where("candidate_id", "=", candidateId).execute();
  const [view] = await viewsOf(deps, db, people);
  if (!view) throw unknownCandidate();
  return view;
}

/** With what the company and all registries assert, which are statements of their own: a distributed database joins the rows of one organisation only. */
export async function viewsOf(
  { numbers }: Pick<Deps, "numbers">,
  db: Kysely<Schema>,
  people: readonly Shown[],
): Promise<Candidate[]> {
  if (people.length === 0) return [];
  const ids = people.map(({ candidate_id }) => candidate_id);
  const asserted = await readAsserted(db, ids);
  const able = await readCompetences(db, ids);
  const conflicts = await readConflicts(db, ids);
  const unsubscriptions = await readUnsubscriptions(db, ids);
  return people.map((row) => {
    const competencesOf = (source: string | null) =>
      (able.get(row.candidate_id) ?? [])
        .filter(({ providerId }) => providerId === source)
        .map(({ competenceId }) => competenceId);
    const ended = unsubscriptions.get(row.candidate_id);
    return {
      candidateId: row.candidate_id,
      personalNumber: maskPersonalNumber(numbers.open(row)),
      firstName: row.first_name,
      lastName: row.last_name,
      email: maskEmail(row.email),
      phone: maskPhone(row.phone),
      ...(row.language !== null && { language: row.language }),
      ...(row.employee_number !== null && { employeeNumber: row.employee_number }),
      competenceIds: competencesOf(null),
      shared: row.is_shared,
      memberships: (asserted.get(row.candidate_id) ?? []).map(({ candidateId: _, ...each }) => ({
        ...each,
        email: maskEmail(each.email),
        phone: maskPhone(each.phone),
        competenceIds: competencesOf(each.providerId),
        since: each.since.toISOString(),
      })),
      conflicts: conflicts.get(row.candidate_id) ?? [],
      ...(ended && {
        unsubscriptions: ended.map(({ providerId, since }) => ({ providerId, since: since.toISOString() })),
      }),
    };
  });
}

/** Without masks. */
export function revealedView(
  { numbers }: Pick<Deps, "numbers">,
  row: Shown,
  asserted: readonly Asserted[],
): RevealedCandidate {
  return {
    candidateId: row.candidate_id,
    personalNumber: numbers.open(row),
    firstName: row.first_name,
    lastName: row.last_name,
    email: row.email,
    phone: row.phone,
    memberships: asserted.map(({ providerId, firstName, lastName, email, phone }) => ({
      providerId,
      firstName,
      lastName,
      email,
      phone,
    })),
  };
}
