import type { Candidate, Job } from "../../../generated/operations/types.ts";
import { holdsSeat } from "./words.ts";

export interface Choice {
  candidate: Candidate;
  /** Why this person cannot accept; undefined: nothing known speaks against it. */
  hindrance?: string;
}

/** Who may accept the job, by name. Whether somebody works elsewhere at that time, the platform says. */
export function choicesFor(job: Job, candidates: readonly Candidate[]): { able: Choice[]; others: Choice[] } {
  const booked = new Set(job.bookings.filter(holdsSeat).map(({ candidateId }) => candidateId));
  const choices = [...candidates]
    .sort((one, other) => nameFor(one).localeCompare(nameFor(other)))
    .map((candidate): Choice => {
      const hindrance = hindranceOf(job, candidate, booked);
      return hindrance === undefined ? { candidate } : { candidate, hindrance };
    });
  return {
    able: choices.filter(({ hindrance }) => hindrance === undefined),
    others: choices.filter(({ hindrance }) => hindrance !== undefined),
  };
}

function hindranceOf(job: Job, candidate: Candidate, booked: ReadonlySet<string>): string | undefined {
  if (booked.has(candidate.candidateId)) return "is booked on it";
  if (job.competenceId === undefined || candidate.competenceIds.includes(job.competenceId)) return undefined;
  return "does not have the competence";
}

const nameFor = ({ lastName, firstName }: Candidate) => `${lastName} ${firstName}`;
