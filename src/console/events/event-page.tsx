import { useRoute } from "preact-iso";
import type { EventDetail } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { type Query, useQuery } from "../data/use-query.ts";
import { PageHead } from "../parts/page-head.tsx";
import { Shown } from "../parts/shown.tsx";
import { EventBadge } from "./event-badge.tsx";
import { EventFacts } from "./event-facts.tsx";
import { Payload } from "./event-payload.tsx";
import { EventTrace } from "./event-trace.tsx";
import { Replay } from "./replay.tsx";
import "./events.css";

const EVENTS = { href: "/console/events", name: "Events" };

/** One event: its outcome, its trace, its payload, and its replay. */
export function EventPage() {
  const { eventId = "" } = useRoute().params;
  const query = useQuery(
    `event ${eventId}`,
    () => ask(api.getEvent({ params: { path: { eventId } } })),
    ({ type, data }) => type === "event" && data.eventId === eventId,
  );
  return (
    <>
      <PageHead title={query.data?.event ?? "Event"} within={EVENTS}>
        {query.data && <EventBadge {...query.data} />}
      </PageHead>
      <Shown query={query} lines={14}>
        {(event) => <Parts event={event} reload={query.reload} />}
      </Shown>
    </>
  );
}

function Parts({ event, reload }: { event: EventDetail; reload: Query<unknown>["reload"] }) {
  return (
    <div class="columns">
      <div class="stack">
        <Replay event={event} onQueued={reload} />
        <EventTrace event={event} />
      </div>
      <div class="stack">
        <EventFacts event={event} />
        <Payload payload={event.payload} />
      </div>
    </div>
  );
}
