import { useRoute } from "preact-iso";
import type { Candidate } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { fullName, useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { Notifications } from "../job/notifications-panel.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { may } from "../session/me.ts";
import { ChangePerson } from "./change-person.tsx";
import { competencesText } from "./competences-text.ts";
import { Erase } from "./erase.tsx";
import { PersonBookings } from "./person-bookings.tsx";
import { Reveal } from "./reveal.tsx";

const PEOPLE = { href: "/console/people", name: "People" };

/** One person: competences, bookings, and notifications, with what is masked on request. */
export function PersonPage() {
  const { candidateId = "" } = useRoute().params;
  const query = useQuery(`person ${candidateId}`, () =>
    ask(api.getCandidate({ params: { path: { candidateId } } })),
  );
  const { status } = query.trouble ?? {};
  if (status === 404 || status === 400) return <NoSuchPerson candidateId={candidateId} />;
  return (
    <>
      {!query.data && <PageHead title="Person" within={PEOPLE} />}
      <Shown query={query} lines={16}>
        {(person) => <PersonParts key={person.candidateId} person={person} reload={query.reload} />}
      </Shown>
    </>
  );
}

function PersonParts({ person, reload }: { person: Candidate; reload(): void }) {
  const { candidateId } = person;
  return (
    <>
      <PageHead title={fullName(person) || "Without a name"} within={PEOPLE}>
        {may("operator") && <ChangePerson person={person} onChanged={reload} />}
        {may("people") && <Reveal candidateId={candidateId} />}
        {may("people") && <Erase person={person} />}
      </PageHead>
      <div class="columns">
        <div class="stack">
          <Facts person={person} />
          <PersonBookings candidateId={candidateId} />
        </div>
        <Notifications
          of={{ candidateId }}
          empty="None yet. Offers and changes of booked shifts appear here."
        />
      </div>
    </>
  );
}

function Facts({ person }: { person: Candidate }) {
  const names = useNames();
  return (
    <section class="panel" aria-labelledby="facts">
      <h2 id="facts">Facts</h2>
      <dl class="facts">
        <dt>Personal number</dt>
        <dd>{person.personalNumber}</dd>
        <dt>Competences</dt>
        <dd>{competencesText(person, names)}</dd>
        <dt>Candidate id</dt>
        <dd>
          <code>{person.candidateId}</code>
        </dd>
        {may("admin") && (
          <>
            <dt>Audit log</dt>
            <dd>
              <a href={`/console/audit?subject=${person.candidateId}`}>Changes and reveals</a>
            </dd>
          </>
        )}
      </dl>
    </section>
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
