import { useRoute } from "preact-iso";
import type { Candidate, Job } from "../../../generated/operations/types.ts";
import { type Column, Facts } from "../components/cells.tsx";
import { LANGUAGES } from "../components/form.tsx";
import { PageHead, Section } from "../components/section.tsx";
import { Empty, More, QueryView, Table } from "../components/table.tsx";
import { Span } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { competencesOf, fullName, useNames } from "../data/names.ts";
import { usePages } from "../data/pages.ts";
import { useQuery } from "../data/use-query.ts";
import { Notifications } from "../job/notifications.tsx";
import { BookingState, JobStatusBadges } from "../job/statuses.tsx";
import { JobLink } from "../jobs/job-table.tsx";
import { may } from "../session/me.ts";
import { ChangeCompetences, ChangeContact, Erase, Reveal } from "./person-actions.tsx";
import { Sources } from "./sources.tsx";

const PEOPLE = { href: "/console/people", name: "People" };

/** One person: competences, bookings, and notifications. Masked data is revealed on request. */
export function PersonPage() {
  const { candidateId = "" } = useRoute().params;
  const query = useQuery(`person ${candidateId}`, () =>
    ask(api.getCandidate({ params: { path: { candidateId } } })),
  );
  const { status } = query.error ?? {};
  if (status === 404 || status === 400) return <NoSuchPerson candidateId={candidateId} />;
  return (
    <>
      {!query.data && <PageHead title="Person" within={PEOPLE} />}
      <QueryView query={query} lines={16}>
        {(person) => <PersonSections key={person.candidateId} person={person} reload={query.reload} />}
      </QueryView>
    </>
  );
}

function PersonSections({ person, reload }: { person: Candidate; reload(): void }) {
  const { candidateId } = person;
  return (
    <>
      <PageHead title={fullName(person) || "Without a name"} within={PEOPLE}>
        {may("changeCandidate") && <ChangeContact person={person} onChanged={reload} />}
        {may("changeCandidate") && <ChangeCompetences person={person} onChanged={reload} />}
        {may("revealCandidate") && <Reveal candidateId={candidateId} />}
        {may("eraseCandidate") && <Erase person={person} />}
      </PageHead>
      <div class="columns">
        <div class="stack">
          <Details person={person} />
          {person.memberships.length > 0 && <Sources person={person} reload={reload} />}
          <Bookings candidateId={candidateId} />
        </div>
        <Notifications
          of={{ candidateId }}
          empty="None yet. Offers and changes of booked shifts appear here."
        />
      </div>
    </>
  );
}

function Details({ person }: { person: Candidate }) {
  const names = useNames();
  const { candidateId } = person;
  return (
    <Section id="details" title="Details">
      <Facts
        of={{
          "Personal number": person.personalNumber,
          "Employee number": person.employeeNumber,
          Language: person.language && LANGUAGES[person.language],
          Competences: competencesOf(person, names),
          "Valid for": person.shared ? "every organisation" : "the organisations whose registries are below",
          "Candidate id": <code>{candidateId}</code>,
          "Audit log": may("listAudit") ? (
            <a href={`/console/audit?subject=${candidateId}`}>Changes and reveals</a>
          ) : undefined,
        }}
      />
    </Section>
  );
}

const PAGE = 20;

/** Every job that the person was booked for, newest first. */
function Bookings({ candidateId }: { candidateId: string }) {
  const pages = usePages(
    `bookings of ${candidateId}`,
    (page) => ask(api.listJobs({ params: { query: { candidateId, limit: PAGE, ...page } } })),
    ({ type, data }) => type === "job" || (type === "booking" && data.candidateId === candidateId),
  );
  return (
    <Section id="bookings" title="Bookings">
      <QueryView query={pages} lines={4}>
        {(jobs) =>
          jobs.length === 0 ? (
            <p class="soft">The person has accepted no job yet.</p>
          ) : (
            <BookingTable jobs={jobs} candidateId={candidateId} />
          )
        }
      </QueryView>
      <More pages={pages} />
    </Section>
  );
}

function BookingTable({ jobs, candidateId }: { jobs: Job[]; candidateId: string }) {
  const names = useNames();
  const zoneOf = ({ providerId }: Job) => names.integration(providerId)?.timeZone;
  const columns: Column<Job>[] = [
    { name: "Job", cell: (job) => <JobLink job={job} names={names} /> },
    { name: "Time", cell: (job) => <Span from={job.startTime} to={job.endTime} zone={zoneOf(job)} /> },
    {
      name: "Booking",
      cell: (job) => {
        // A person who was withdrawn and accepted again has several; the last one counts.
        const booking = job.bookings.findLast((each) => each.candidateId === candidateId);
        return booking && <BookingState booking={booking} zone={zoneOf(job)} />;
      },
    },
    { name: "Job status", cell: (job) => <JobStatusBadges job={job} /> },
  ];
  return (
    <Table caption="Bookings, newest first" columns={columns} rows={jobs} keyOf={({ jobId }) => jobId} />
  );
}

function NoSuchPerson({ candidateId }: { candidateId: string }) {
  return (
    <>
      <PageHead title="Person not found" within={PEOPLE} />
      <Empty title="No person has this id">
        <p>
          The person may have been erased. Check the id <code>{candidateId}</code>, or search in{" "}
          <a href="/console/people">People</a>.
        </p>
      </Empty>
    </>
  );
}
