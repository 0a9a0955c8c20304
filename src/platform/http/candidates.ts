import type { Handlers } from "../../../generated/operations/server.ts";
import { competencesOf, requireCandidate } from "../candidates/candidate.ts";
import { erase } from "../candidates/erase.ts";
import { reveal } from "../candidates/reveal.ts";
import type { Deps } from "../deps.ts";
import { viewOfCandidate } from "./people.ts";

type One = Pick<Handlers<undefined>, "getCandidate" | "eraseCandidate" | "revealCandidate">;

/** One person: masked, unmasked for a reason, erased. */
export function candidateHandlers(deps: Deps): One {
  const { kysely } = deps.database;
  return {
    getCandidate: async ({ path: { candidateId } }) => {
      const row = await requireCandidate(kysely, candidateId);
      const { candidate_id, personal_number, first_name, last_name } = row;
      const competenceIds = await competencesOf(kysely, candidate_id);
      const body = viewOfCandidate(candidate_id, personal_number, first_name, last_name, competenceIds);
      return { status: 200, body };
    },
    eraseCandidate: async ({ path }) => {
      await erase(deps, path.candidateId);
      return { status: 204 };
    },
    revealCandidate: async ({ path, body: { reason } }) => {
      const row = await reveal(deps, path.candidateId, reason);
      const body = {
        candidateId: row.candidate_id,
        personalNumber: row.personal_number,
        firstName: row.first_name,
        lastName: row.last_name,
        email: row.email,
        phone: row.phone,
      };
      return { status: 200, body };
    },
  };
}
