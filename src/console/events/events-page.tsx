import "./events.css";
import type { Event } from "../../../generated/operations/types.ts";
import { eventStatusText, outcomeText } from "../../contract/operator-text.ts";
import { type Column, ShortId } from "../components/cells.tsx";
import {
  FilterForm,
  OrganisationFilter,
  SelectFilter,
  TextFilter,
  useFilter,
} from "../components/filters.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, PagedList, Table } from "../components/table.tsx";
import { formatDuration, Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { type ReadPage, usePages } from "../data/pages.ts";
import { may } from "../session/me.ts";
import { EVENT_FILTER, EVENT_STATUSES, EventBadge, tookMs } from "./event.tsx";
import { ReplaySince } from "./replay-since.tsx";
import { useJobIds } from "./use-job-ids.ts";

/** Every received event, newest first. */
export function EventsPage() {
  const { filter, set, ...filtering } = useFilter("/console/events", EVENT_FILTER);
  const pages = usePages(
    `events ${JSON.stringify(filter)}`,
    (page) => ask(api.listEvents({ params: { query: { ...filter, ...page } } })),
    ({ type }) => type === "event",
  );
  return (
    <>
      <PageHead title="Events">
        <a class="push" href="/console/events/rejected">
          Rejected webhooks
        </a>
        {may("replayEvents") && <ReplaySince providerId={filter.providerId} onQueued={pages.reload} />}
      </PageHead>
      <FilterForm {...filtering}>
        <OrganisationFilter value={filter.providerId} onChange={set("providerId")} />
        <SelectFilter
          name="Status"
          value={filter.status}
          options={EVENT_STATUSES.map((status) => [status, eventStatusText({ status }).name])}
          onChange={set("status")}
        />
        <TextFilter isId name="Shift id" value={filter.shiftId} onChange={set("shiftId")} />
        <TextFilter isId name="Trace id" value={filter.traceId} onChange={set("traceId")} />
      </FilterForm>
      <PagedList {...{ pages, ...filtering }} one="event" empty={<NoEvents />}>
        {(events) => <EventTable events={events} readPage={pages.readPage} />}
      </PagedList>
    </>
  );
}

function NoEvents() {
  return (
    <Empty title="No event received yet">
      <p>
        A provider sends an event for each shift that it creates, changes, or deletes. It appears here
        immediately.
      </p>
    </Empty>
  );
}

function EventTable({ events, readPage }: { events: Event[]; readPage: ReadPage<Event> }) {
  const names = useNames();
  const jobIdOf = useJobIds(events);
  const columns: Column<Event>[] = [
    {
      name: "Received",
      cell: ({ receivedAt, providerId }) => (
        <Time at={receivedAt} exact zone={names.integration(providerId)?.timeZone} />
      ),
    },
    { name: "Event", cell: ({ eventId, event }) => <a href={`/console/events/${eventId}`}>{event}</a> },
    {
      name: "Organisation",
      cell: ({ providerId }) => names.integration(providerId)?.name ?? <ShortId id={providerId} />,
    },
    { name: "Shift", cell: (event) => <Shift event={event} jobId={jobIdOf(event)} /> },
    {
      name: "Status",
      cell: (event) => (
        <span title={eventStatusText(event).meaning}>
          <EventBadge {...event} />
        </span>
      ),
    },
    {
      name: "Outcome",
      cell: ({ verdict }) => (verdict ? outcomeText(verdict) : <span class="soft">none yet</span>),
    },
    { name: "Attempts", isNumber: true, cell: ({ attempts }) => attempts },
    { name: "Took", isNumber: true, cell: (event) => <Took {...event} /> },
  ];
  return (
    <div class="scroll">
      <Table
        saved={{ name: "events", readPage }}
        name="events"
        caption="Events, newest first"
        columns={columns}
        rows={events}
        keyOf={({ eventId }) => eventId}
      />
    </div>
  );
}

function Shift({ event: { shiftId }, jobId }: { event: Event; jobId: string | undefined }) {
  return <ShortId id={shiftId} href={jobId && `/console/jobs/${jobId}`} />;
}

function Took(event: Event) {
  const took = tookMs(event);
  return took === undefined ? <span class="soft">waiting</span> : formatDuration(took);
}
