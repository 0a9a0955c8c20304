import type { AuditEntry, Operator } from "../../../generated/operations/types.ts";
import { fieldWords } from "../../contract/field-words.ts";
import { ShortId } from "../components/cells.tsx";
import { formatSpan } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { type Names, nameOf, placeOf, workOf } from "../data/names.ts";
import { readPages } from "../data/pages.ts";
import { useQuery } from "../data/use-query.ts";

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
  endBooking: "ended the booking of {candidateId} on {jobId} without the provider",
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

type Operators = ReadonlyMap<string, Operator>;

/** Also those who are revoked. */
export function useOperators(): Operators {
  const { data = [] } = useQuery("operators of the audit log", async () => {
    const { items } = await readPages((page) => ask(api.listOperators({ params: { query: page } })));
    return items;
  });
  return new Map(data.map((operator) => [operator.operatorId, operator]));
}

interface Lookups {
  names: Names;
  operators: Operators;
}

/** Who did what, with a link to what it is about. */
export function AuditSentence({ entry, ...lookups }: Lookups & { entry: AuditEntry }) {
  const { placed, rest } = deedParts(entry.operation, entry.subjects);
  return (
    <>
      <strong>{entry.operator.name}</strong>{" "}
      {placed.map((part) =>
        typeof part === "string" ? part : <Named key={part.kind} {...part} {...lookups} />,
      )}
      {rest.length > 0 && (
        <ul>
          {rest.map(({ kind, id }) => (
            <li key={id}>
              <Named {...{ kind, id }} {...lookups} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The name of something with a link to its page; the id of what is deleted or has no name. */
function Named({ kind, id, names, operators }: Lookups & { kind: string; id: string }) {
  switch (kind) {
    case "candidateId":
      return <a href={`/console/people/${id}`}>{nameOf(id, names, undefined)}</a>;
    case "jobId":
      return <a href={`/console/jobs/${id}`}>{jobName(id, names)}</a>;
    case "providerId":
      return <a href={`/console/integrations/${id}`}>{names.integration(id)?.name ?? <ShortId id={id} />}</a>;
    case "eventId":
      return (
        <a href={`/console/events/${id}`}>
          the event <ShortId id={id} />
        </a>
      );
    case "traceId":
      return (
        <a href={`/console/events?traceId=${id}`}>
          events of the trace <ShortId id={id} />
        </a>
      );
    case "workplaceId":
      return <Found path="/console/workplaces" name={names.workplace(id)?.name} id={id} />;
    case "competenceId":
      return <Found path="/console/competences" name={names.competence(id)?.name} id={id} />;
    case "operatorId": {
      const name = operators.get(id)?.name;
      return name === undefined ? <ShortId id={id} /> : <a href="/console/operators?state=all">{name}</a>;
    }
    default:
      return (
        <span class="soft">
          {fieldText(kind)} <ShortId id={id} />
        </span>
      );
  }
}

function Found({ path, name, id }: { path: string; name: string | undefined; id: string }) {
  return name === undefined ? (
    <ShortId id={id} />
  ) : (
    <a href={`${path}?${new URLSearchParams({ search: name })}`}>{name}</a>
  );
}

function jobName(jobId: string, names: Names) {
  const job = names.job(jobId);
  if (!job)
    return (
      <>
        the job <ShortId id={jobId} />
      </>
    );
  const zone = names.integration(job.providerId)?.timeZone;
  return `${workOf(job, names)}, ${placeOf(job, names)}, ${formatSpan(job.startTime, job.endTime, zone)}`;
}

type Change = AuditEntry["changes"][number];

/** `name: Kvarteret → Kajen`; the field alone for personal data and secrets. */
export function changeText({ field, before, after }: Change, names: Names): string {
  if (before === undefined && after === undefined) return fieldText(field);
  return `${fieldText(field)}: ${valueText(before, names)} → ${valueText(after, names)}`;
}

function valueText(value: Change["before"], names: Names): string {
  if (value === undefined || value === null) return "none";
  if (!Array.isArray(value)) return nameOfValue(String(value), names);
  return value.length === 0 ? "none" : value.map((each) => nameOfValue(each, names)).join(", ");
}

/** Of an id of the mapping or of a person's competences, the name. */
function nameOfValue(value: string, { workplaces, competences }: Names): string {
  const workplace = workplaces.find(({ workplaceId }) => workplaceId === value);
  return (workplace ?? competences.find(({ competenceId }) => competenceId === value))?.name ?? value;
}
