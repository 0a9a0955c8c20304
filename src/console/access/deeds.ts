import { fieldWords } from "../../contract/field-words.ts";

/** What an operator did, after the name of the operator. `{jobId}` stands for what has that id; what an entry lacks is left out. */
export const DEEDS: Readonly<Record<string, string>> = {
  createIntegration: "registered {providerId}",
  changeIntegration: "changed the registration of {providerId}",
  deleteIntegration: "deleted {providerId}",
  discoverIntegration: "read the outlets and roles of {providerId}",
  updateMappings: "changed the mapping of {providerId}",
  activateIntegration: "activated {providerId}",
  verifyIntegration: "requested a check of {providerId}",
  suspendIntegration: "suspended {providerId}",
  offboardIntegration: "offboarded {providerId}",
  rotateToken: "changed a token of {providerId}",
  importRegistry: "imported the registry of {providerId}",
  createWorkplace: "added the workplace {workplaceId}",
  changeWorkplace: "changed the workplace {workplaceId}",
  createCompetence: "added the competence {competenceId}",
  changeCompetence: "changed the competence {competenceId}",
  createCandidate: "added {candidateId}",
  changeCandidate: "changed {candidateId}",
  importCandidates: "imported people",
  setCompetence: "changed the competence {competenceId} of people",
  eraseCandidate: "erased {candidateId}",
  revealCandidate: "revealed the personal data of {candidateId}",
  releaseCandidate: "released {candidateId} from the registry of {providerId}",
  releaseCandidates: "released people of the registry of {providerId}",
  changeJob: "requested a change of {jobId}",
  acceptJob: "accepted {jobId} for {candidateId}",
  withdrawBooking: "withdrew {candidateId} from {jobId}",
  cancelJob: "requested the cancellation of {jobId}",
  replayEvent: "replayed {eventId}",
  replayEvents: "replayed the failed events of {providerId}",
  resendNotification: "sent a notification again",
  changeIssues: "changed issues of {providerId}",
  resolveIssue: "resolved an issue",
  signIn: "signed in",
  signOut: "signed out",
  createOperator: "added the operator {operatorId}",
  changeOperator: "changed the role of {operatorId}",
  revokeOperator: "revoked {operatorId}",
  rotateOperatorToken: "made a new token for {operatorId}",
  backup: "made a backup",
};

/** `accepted … for …`, for a choice of them. */
export const deedTitle = (operation: string): string =>
  wordsOf(operation)
    .map((word, place) => (place % 2 === 0 ? word : "…"))
    .join("");

/** The texts of a deed, and between them the names of its ids. */
const wordsOf = (operation: string): string[] =>
  (DEEDS[operation] ?? operation).split("{").flatMap((part, place) => (place === 0 ? part : part.split("}")));

export type Part = string | { kind: string; id: string };

/** The sentence in parts: texts, and ids. An id that the entry lacks is that of several organisations; ids for which a deed has no place come last. */
export function deedParts(operation: string, subjects: Readonly<Record<string, string>>) {
  const words = wordsOf(operation);
  const placed = words.map((word, place): Part => {
    if (place % 2 === 0) return word;
    const id = subjects[word];
    return id === undefined ? "several organisations" : { kind: word, id };
  });
  const rest = Object.entries(subjects).filter(([name]) => !words.includes(name));
  // Of many people: `candidateId 1`, `candidateId 2`.
  return { placed, rest: rest.map(([name, id]) => ({ kind: name.split(" ", 1)[0] ?? name, id })) };
}

/** `base url`, `competences`, `outlet 12`: the words of a field's name. */
export function fieldText(field: string): string {
  const [list = "", id] = field.split("/");
  if (id !== undefined) return `${list.replace(/s$/, "")} ${id}`;
  return fieldWords(list.replace(/Id(s?)$/, "$1"));
}
