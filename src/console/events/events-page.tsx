import { useLocation } from "preact-iso";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { usePages } from "../data/use-pages.ts";
import { More } from "../parts/more.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { addressOf, filterOf } from "./event-filter.ts";
import { EventFilters } from "./event-filters.tsx";
import { EventTable } from "./event-table.tsx";
import { ReplaySince } from "./replay-since.tsx";
import "./events.css";

/** Every received event, newest first. */
export function EventsPage() {
  const { query, route } = useLocation();
  const filter = filterOf(query);
  const pages = usePages(
    `events ${JSON.stringify(filter)}`,
    (cursor) => ask(api.listEvents({ params: { query: { ...filter, ...(cursor && { cursor }) } } })),
    ({ type }) => type === "event",
  );
  return (
    <>
      <PageHead title="Events">
        <span class="push" />
        <ReplaySince providerId={filter.providerId} onQueued={pages.reload} />
      </PageHead>
      <EventFilters filter={filter} onFilter={(wanted) => route(addressOf(wanted), true)} />
      <Shown query={pages} lines={12}>
        {(events) =>
          events.length === 0 ? (
            <NoEvents isFiltered={Object.keys(filter).length > 0} />
          ) : (
            <EventTable events={events} />
          )
        }
      </Shown>
      <More pages={pages} />
    </>
  );
}

function NoEvents({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) {
    return (
      <Empty title="No event matches the filters">
        <p>
          Change the filters, or <a href="/console/events">show all events</a>.
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No event received yet">
      <p>
        A provider sends an event for each shift that it creates, changes, or deletes. It appears here
        immediately.
      </p>
    </Empty>
  );
}
