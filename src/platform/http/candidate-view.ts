import type { Kysely, Selectable } from "kysely";
import type { Candidate, RevealedCandidate } from "../../../generated/operations/types.ts";
import { maskEmail, maskPhone } from "../../contract/personal-data.ts";
import { maskPersonalNumber } from "../../contract/personal-number.ts";
import { unknownCandidate } from "../candidates/candidate.ts";
import {
  type Asserted,
  readAsserted,
  readCompetences,
  readConflicts,
  readUnsubscriptions,
} from "../candidates/sources.ts";
import { view } from "../db/names.ts";
import type { CandidatesTable, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";

const SHOWN = [
  "candidateId",
  "personalNumberSealed",
  "firstName",
  "lastName",
  "email",
  "phone",
  "language",
  "employeeNumber",
  "isShared",
] as const;

type Shown = Pick<Selectable<CandidatesTable>, (typeof SHOWN)[number]>;

export const selectPeople = (db: Kysely<Schema>) =>
  db.selectFrom("candidates").select(SHOWN).where("erasedAt", "is", null);

/** @throws ProblemError candidate_not_found, also for an erased person. */
export async function readView(
  deps: Pick<Deps, "numbers">,
  db: Kysely<Schema>,
  candidateId: string,
): Promise<Candidate> {
  const people = await selectPeople(db).where("candidateId", "=", candidateId).execute();
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
  const ids = people.map(({ candidateId }) => candidateId);
  const asserted = await readAsserted(db, ids);
  const able = await readCompetences(db, ids);
  const conflicts = await readConflicts(db, ids);
  const unsubscriptions = await readUnsubscriptions(db, ids);
  return people.map((row) => {
    const competencesOf = (source: string | null) =>
      (able.get(row.candidateId) ?? [])
        .filter(({ providerId }) => providerId === source)
        .map(({ competenceId }) => competenceId);
    const ended = unsubscriptions.get(row.candidateId);
    return {
      ...view(row, ["candidateId", "firstName", "lastName", "language", "employeeNumber"]),
      personalNumber: maskPersonalNumber(numbers.open(row)),
      email: maskEmail(row.email),
      phone: maskPhone(row.phone),
      competenceIds: competencesOf(null),
      shared: row.isShared,
      memberships: (asserted.get(row.candidateId) ?? []).map(({ candidateId: _, ...each }) => ({
        ...each,
        email: maskEmail(each.email),
        phone: maskPhone(each.phone),
        competenceIds: competencesOf(each.providerId),
        since: each.since.toISOString(),
      })),
      conflicts: conflicts.get(row.candidateId) ?? [],
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
    candidateId: row.candidateId,
    personalNumber: numbers.open(row),
    firstName: row.firstName,
    lastName: row.lastName,
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
