import type { Candidate, Job } from "../../../generated/operations/types.ts";
import { holdsSeat } from "./seats.ts";

export interface Choice {
  candidate: Candidate;
  /** Why the candidate cannot accept; undefined where nothing is known to prevent it. */
  hindrance?: string;
}

/** The candidates who can accept the job and those who cannot, by name. The platform checks overlapping bookings. */
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
  if (booked.has(candidate.candidateId)) return "already booked";
  if (job.competenceId === undefined || candidate.competenceIds.includes(job.competenceId)) return undefined;
  return "lacks the competence";
}

const nameFor = ({ lastName, firstName }: Candidate) => `${lastName} ${firstName}`;
