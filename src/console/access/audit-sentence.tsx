import type { AuditEntry, Operator } from "../../../generated/operations/types.ts";
import { ShortId } from "../components/short-id.tsx";
import { formatSpan } from "../components/times.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { type Names, placeOf, workOf } from "../data/names.ts";
import { readPages } from "../data/pages.ts";
import { nameOf } from "../data/person-name.ts";
import { useQuery } from "../data/use-query.ts";
import { deedParts, fieldText } from "./deeds.ts";

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
