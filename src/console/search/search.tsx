import "./search.css";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type {
  Candidate,
  Competence,
  Event,
  Integration,
  Job,
  Workplace,
} from "../../../generated/operations/types.ts";
import { Dialog } from "../components/dialog.tsx";
import { aDay } from "../components/filters.tsx";
import { QueryView } from "../components/table.tsx";
import { dayKey, formatSpan } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { usePaused } from "../data/live.ts";
import { fullName, type Names, placeOf, useNames, workOf } from "../data/names.ts";
import { type Query, useQuery } from "../data/use-query.ts";
import { type EventFilter, eventsAddress } from "../events/event.tsx";
import { spanOf } from "../jobs/week-page.tsx";

/** Something that was found, and its page. */
export interface Hit {
  kind: "Person" | "Job" | "Events" | "Organisation" | "Workplace" | "Competence";
  name: string;
  detail?: string;
  href: string;
}

/** Of each kind: who does not find it among them types more. */
const MOST = 5;
/** Of those that are read, some start on the day before or after in their zone. */
const MOST_OF_DAY = 50;
/** Fewer characters find too much. */
const FEWEST = 2;

export interface Found {
  hits: Hit[];
  /** Of some kind there are more. */
  hasMore: boolean;
}

/**
 * Finds people by a part of the name or their id, organisations, workplaces and competences by a part of the name, events by the shift id or the trace id, and
 * jobs by the place, the day, the trace id, or the beginning of an id.
 */
async function find(text: string, names: Names): Promise<Found> {
  if (text.length < FEWEST) return { hits: [], hasMore: false };
  const { day, rest } = dated(text);
  if (day !== undefined) return findJobs(day, rest, names);
  const ids = isId(text) ? [{ shiftId: text }, { traceId: text }] : [];
  const named = { params: { query: { search: text, limit: MOST } } };
  const [people, organisations, workplaces, competences, jobs, events] = await Promise.all([
    ask(api.listCandidates(named)),
    ask(api.listIntegrations(named)),
    ask(api.listWorkplaces(named)),
    ask(api.listCompetences(named)),
    Promise.all(
      [{ search: text, group: "active", order: "earliest" } as const, { search: text }, ...ids.slice(1)].map(
        (query) => ask(api.listJobs({ params: { query: { ...query, limit: MOST } } })),
      ),
    ),
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

/** `södermalm 2026-12-01`: the day, and the text beside it. */
function dated(text: string): { day?: string; rest: string } {
  const [day] = /\b\d{4}-\d\d-\d\d\b/.exec(text) ?? [];
  if (day === undefined || aDay(day) === undefined) return { rest: text };
  return { day, rest: text.replace(day, "").trim() };
}

/** Finds the jobs of a day, at a place if one is given. */
async function findJobs(day: string, place: string, names: Names): Promise<Found> {
  const wanted = { ...spanOf(day, 1), group: "not_cancelled", ...(place && { search: place }) } as const;
  const { items, nextCursor } = await ask(
    api.listJobs({ params: { query: { ...wanted, limit: MOST_OF_DAY } } }),
  );
  const found = items.filter(
    ({ startTime, providerId }) => dayKey(startTime, names.integration(providerId)?.timeZone) === day,
  );
  return {
    hits: found.slice(0, MOST).map((job) => hitOfJob(job, names)),
    hasMore: found.length > MOST || nextCursor !== undefined,
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

/** The button in the frame of every page; Ctrl-K, or Command-K, opens it too. */
export function Search() {
  const [isOpen, setIsOpen] = useState(false);
  const { url } = useLocation();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setIsOpen(true);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  // A result was followed.
  useEffect(() => setIsOpen(false), [url]);
  return (
    <>
      <button type="button" class="quiet" aria-keyshortcuts="Control+K" onClick={() => setIsOpen(true)}>
        Search <kbd>Ctrl K</kbd>
      </button>
      <Dialog title="Search" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <SearchForm onFollowed={() => setIsOpen(false)} />
      </Dialog>
    </>
  );
}

function SearchForm({ onFollowed }: { onFollowed(): void }) {
  const names = useNames();
  const { route } = useLocation();
  const [text, setText] = useState("");
  const wanted = usePaused(text.trim());
  const hits = useQuery(`search ${wanted}`, () => find(wanted, names));
  const followFirst = (event: SubmitEvent) => {
    event.preventDefault();
    // While the results are those of an earlier text, the first of them is not what was asked for.
    const first = wanted === text.trim() && hits.data?.hits[0];
    if (!first) return;
    onFollowed();
    route(first.href);
  };
  return (
    <form class="stack search" onSubmit={followFirst} onKeyDown={moveFocus}>
      <label class="field">
        <span>Name, place and day, shift id, trace id, or person id</span>
        <input
          value={text}
          maxLength={100}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      {wanted.length >= FEWEST && <Hits hits={hits} onFollowed={onFollowed} />}
    </form>
  );
}

function Hits({ hits, onFollowed }: { hits: Query<Found>; onFollowed(): void }) {
  return (
    <QueryView query={hits} lines={3}>
      {({ hits: found, hasMore }) => (
        <>
          <p class="soft" role="status">
            {found.length === 0 && "Nothing found. Ids have to be complete."}
            {found.length > 0 &&
              (hasMore ? `The first ${found.length}; there are more.` : `${found.length} found`)}
          </p>
          <ul>
            {found.map(({ kind, name, detail, href }) => (
              <li key={`${kind} ${href}`}>
                <a class="hit" href={href} onClick={onFollowed}>
                  <span class="soft">{kind}</span>
                  <strong>{name}</strong>
                  {detail && <span class="soft">{detail}</span>}
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </QueryView>
  );
}

/** The arrow keys move between the field and the results. */
function moveFocus(event: KeyboardEvent): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const places = [...(event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("input, a")];
  const at = places.indexOf(document.activeElement as HTMLElement);
  places[Math.min(Math.max(at + step, 0), places.length - 1)]?.focus();
}
