import { useRoute } from "preact-iso";
import type { EventDetail } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { type Query, useQuery } from "../data/use-query.ts";
import { Badge } from "../parts/badge.tsx";
import { PageHead } from "../parts/page-head.tsx";
import { Shown } from "../parts/shown.tsx";
import { EventFacts } from "./event-facts.tsx";
import { Payload } from "./event-payload.tsx";
import { EventStory } from "./event-story.tsx";
import { wordsOf } from "./event-words.ts";
import { Replay } from "./replay.tsx";
import "./events.css";

const EVENTS = { href: "/console/events", name: "Events" };

/** One event: what came of it, its story, its payload, and to have it processed again. */
export function EventPage() {
  const { eventId = "" } = useRoute().params;
  const query = useQuery(
    `event ${eventId}`,
    () => ask(api.getEvent({ params: { path: { eventId } } })),
    ({ type, data }) => type === "event" && data.eventId === eventId,
  );
  const words = query.data && wordsOf(query.data);
  return (
    <>
      <PageHead title={query.data?.event ?? "Event"} within={EVENTS}>
        {words && <Badge tone={words.tone}>{words.name}</Badge>}
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
        <EventStory event={event} />
      </div>
      <div class="stack">
        <EventFacts event={event} />
        <Payload payload={event.payload} />
      </div>
    </div>
  );
}
