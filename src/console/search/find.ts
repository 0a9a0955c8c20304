import type {
  Candidate,
  Competence,
  Event,
  Integration,
  Job,
  Workplace,
} from "../../../generated/operations/types.ts";
import { formatSpan } from "../components/times.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { type Names, placeOf, workOf } from "../data/names.ts";
import { fullName } from "../data/person-name.ts";
import { type EventFilter, eventsAddress } from "../events/event.ts";

/** Something that was found, and its page. */
export interface Hit {
  kind: "Person" | "Job" | "Events" | "Organisation" | "Workplace" | "Competence";
  name: string;
  detail?: string;
  href: string;
}

/** Of each kind: who does not find it among them types more. */
const MOST = 5;
/** Fewer characters find too much. */
export const FEWEST = 2;

export interface Found {
  hits: Hit[];
  /** Of some kind there are more. */
  hasMore: boolean;
}

/** Finds people by a part of the name or their id, organisations, workplaces and competences by a part of the name, jobs and events by the shift id or the trace id. */
export async function find(text: string, names: Names): Promise<Found> {
  if (text.length < FEWEST) return { hits: [], hasMore: false };
  const ids = isId(text) ? [{ shiftId: text }, { traceId: text }] : [];
  const named = { params: { query: { search: text, limit: MOST } } };
  const [people, organisations, workplaces, competences, jobs, events] = await Promise.all([
    ask(api.listCandidates(named)),
    ask(api.listIntegrations(named)),
    ask(api.listWorkplaces(named)),
    ask(api.listCompetences(named)),
    Promise.all(ids.map((id) => ask(api.listJobs({ params: { query: { ...id, limit: MOST } } })))),
    Promise.all(ids.map(eventsOf)),
  ]);
  const found = new Map(jobs.flatMap(({ items }) => items).map((job) => [job.jobId, job]));
  const pages = [people, organisations, workplaces, competences, ...jobs];
  return {
    hits: [
      ...[...found.values()].slice(0, MOST).map((job) => hitOfJob(job, names)),
      ...events.flat(),
      ...people.items.map(hitOfPerson),
      ...organisations.items.map(hitOfOrganisation),
      ...workplaces.items.map(hitOfWorkplace),
      ...competences.items.map(hitOfCompetence),
    ],
    hasMore: found.size > MOST || pages.some(({ nextCursor }) => nextCursor !== undefined),
  };
}

/** "." and ".." are no ids: a path would lose them. */
const isId = (text: string) => !/^\.+$/.test(text);

type Id = Pick<EventFilter, "shiftId" | "traceId">;

/** One result: the page that it leads to has all of them. */
async function eventsOf(id: Id): Promise<Hit[]> {
  const { items } = await ask(api.listEvents({ params: { query: { ...id, limit: 1 } } }));
  return items.map((event) => hitOfEvents(event, id));
}

function hitOfEvents({ event }: Event, filter: Id): Hit {
  const name = filter.traceId === undefined ? "Events of this shift" : "Events of this trace";
  return { kind: "Events", name, detail: `last ${event}`, href: eventsAddress(filter) };
}

function hitOfJob(job: Job, names: Names): Hit {
  const zone = names.integration(job.providerId)?.timeZone;
  return {
    kind: "Job",
    name: `${placeOf(job, names)}, ${workOf(job, names)}`,
    detail: formatSpan(job.startTime, job.endTime, zone),
    href: `/console/jobs/${job.jobId}`,
  };
}

const hitOfPerson = (person: Candidate): Hit => ({
  kind: "Person",
  name: fullName(person) || "without a name",
  detail: person.personalNumber,
  href: `/console/people/${person.candidateId}`,
});

const hitOfOrganisation = ({ name, providerId }: Integration): Hit => ({
  kind: "Organisation",
  name,
  href: `/console/integrations/${providerId}`,
});

const hitOfWorkplace = ({ name }: Workplace): Hit => ({
  kind: "Workplace",
  name,
  href: `/console/workplaces?${new URLSearchParams({ search: name })}`,
});

const hitOfCompetence = ({ name }: Competence): Hit => ({
  kind: "Competence",
  name,
  href: `/console/competences?${new URLSearchParams({ search: name })}`,
});
