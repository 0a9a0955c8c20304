import { sql } from "kysely";
import type { Handlers } from "../../../generated/operations/server.ts";
import type { Candidate, CandidateCreate } from "../../../generated/operations/types.ts";
import {
  maskPersonalNumber,
  type PersonalNumber,
  parsePersonalNumber,
} from "../../contract/personal-number.ts";
import { problem } from "../../contract/problem.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { markShiftsDue, PRIORITY } from "../work/due.ts";
import { page } from "./pages.ts";

/** Candidates; personal numbers are masked in every answer. */
export function peopleHandlers(deps: Deps): Pick<Handlers<undefined>, "createCandidate" | "listCandidates"> {
  const { kysely } = deps.database;
  return {
    createCandidate: async ({ body }) => {
      const number = readNumber(body.personalNumber);
      const candidate = await transact(deps, (trx) => addCandidate(trx, deps, body, number));
      return { status: 201, body: candidate };
    },
    listCandidates: async ({ query }) => {
      const all = kysely
        .selectFrom("candidates")
        .select(({ selectFrom }) => [
          "candidate_id",
          "personal_number",
          "first_name",
          "last_name",
          selectFrom("candidate_competences")
            .select(({ fn }) => fn.agg<string[]>("array_agg", ["competence_id"]).as("ids"))
            .whereRef("candidate_competences.candidate_id", "=", "candidates.candidate_id")
            .as("competence_ids"),
        ])
        .where("erased_at", "is", null);
      const body = await page(all, query, { id: "candidate_id" }, (row) =>
        viewOfCandidate(
          row.candidate_id,
          row.personal_number,
          row.first_name,
          row.last_name,
          row.competence_ids ?? [],
        ),
      );
      return { status: 200, body };
    },
  };
}

function readNumber(text: string): PersonalNumber {
  const number = parsePersonalNumber(text);
  if (number) return number;
  const errors = [
    { pointer: "/personalNumber", message: "must be a Swedish personal number with a valid check digit" },
  ];
  throw problem("validation_failed", { detail: "The candidate was not added.", errors });
}

async function addCandidate(
  trx: Trx,
  deps: Deps,
  order: CandidateCreate,
  number: PersonalNumber,
): Promise<Candidate> {
  const competenceIds = await checkCompetences(trx, order.competenceIds);
  const candidate_id = deps.newId();
  const at = deps.now();
  const row = await trx
    .insertInto("candidates")
    .values({
      candidate_id,
      personal_number: number,
      first_name: order.firstName,
      last_name: order.lastName,
      email: order.email,
      phone: order.phone,
      hire: order.hire ? deps.vault.seal(JSON.stringify(order.hire)) : null,
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.column("personal_number").doNothing())
    .returning("candidate_id")
    .executeTakeFirst();
  if (!row) throw problem("candidate_exists", { detail: "A candidate has this personal number already." });
  if (competenceIds.length > 0) {
    const able = competenceIds.map((competence_id) => ({ candidate_id, competence_id }));
    await trx.insertInto("candidate_competences").values(able).execute();
    await offerTo(trx, deps, competenceIds);
  }
  return viewOfCandidate(candidate_id, number, order.firstName, order.lastName, competenceIds);
}

/** The open jobs that ask for what a new candidate can do are offered to everyone who is not offered them yet. */
async function offerTo(trx: Trx, deps: Deps, competenceIds: readonly string[]): Promise<void> {
  const open = sql`
    select jobs.provider_id, jobs.shift_id from jobs
    where jobs.status = 'open' and jobs.start_time > ${deps.now()}
      and jobs.competence_id = any (array(select json_array_elements_text(${JSON.stringify(competenceIds)}::text::json)::uuid))`;
  await markShiftsDue(trx, deps, open, PRIORITY.event);
}

async function checkCompetences(trx: Trx, given: readonly string[]): Promise<string[]> {
  const wanted = [...new Set(given.map((id) => id.toLowerCase()))];
  if (wanted.length === 0) return [];
  const rows = await trx
    .selectFrom("competences")
    .select("competence_id")
    .where("competence_id", "in", wanted)
    .execute();
  const known = new Set(rows.map(({ competence_id }) => competence_id));
  const errors = given.flatMap((id, index) =>
    known.has(id.toLowerCase())
      ? []
      : [{ pointer: `/competenceIds/${index}`, message: "is not a competence" }],
  );
  if (errors.length > 0)
    throw problem("validation_failed", { detail: "The candidate was not added.", errors });
  return wanted;
}

export function viewOfCandidate(
  candidateId: string,
  personalNumber: string,
  firstName: string,
  lastName: string,
  competenceIds: string[],
): Candidate {
  return {
    candidateId,
    personalNumber: maskPersonalNumber(personalNumber as PersonalNumber),
    firstName,
    lastName,
    competenceIds,
  };
}
