export interface Subject {
  /** What it is about, without its ids. */
  kind: string;
  shiftId?: string;
  candidateId?: string;
}

const SHIFT = /^shift (?<shiftId>.+?)(?:, candidate (?<candidateId>\S+))?$/;

/** `shift 4a9d…, candidate 77…` by its parts; anything else is a subject as it stands. */
export function readSubject(subject: string): Subject {
  const { shiftId, candidateId } = SHIFT.exec(subject)?.groups ?? {};
  if (shiftId === undefined) return { kind: subject };
  return { kind: "shift", shiftId, ...(candidateId !== undefined && { candidateId }) };
}
