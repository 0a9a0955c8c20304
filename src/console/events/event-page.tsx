import { useRoute } from "preact-iso";
import type { Event, EventDetail } from "../../../generated/operations/types.ts";
import { ErrorBox } from "../components/error-box.tsx";
import { Facts } from "../components/facts.tsx";
import { PageHead } from "../components/page-head.tsx";
import { QueryView } from "../components/query-view.tsx";
import { Section } from "../components/section.tsx";
import { Time } from "../components/time.tsx";
import { formatDuration } from "../components/times.ts";
import { api } from "../data/api.ts";
import { ask, FailedCall } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";
import { useQuery } from "../data/use-query.ts";
import { eventsAddress, tookMs } from "./event.ts";
import { EventBadge } from "./event-badge.tsx";
import { EventTrace } from "./event-trace.tsx";
import { Replay } from "./replay.tsx";
import { useJobIds } from "./use-job-ids.ts";
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
      <QueryView query={query} lines={14}>
        {(event) => (
          <div class="columns">
            <div class="stack">
              <Replay event={event} onQueued={query.reload} />
              <EventTrace event={event} />
            </div>
            <div class="stack">
              <Details event={event} />
              <Payload payload={event.payload} />
            </div>
          </div>
        )}
      </QueryView>
    </>
  );
}

/** The properties of an event, with links to its shift and job. */
function Details({ event }: { event: Event }) {
  const { eventId, providerId, shiftId, traceId, attempts, receivedAt, processedAt } = event;
  const integration = useNames().integration(providerId);
  const took = tookMs(event);
  return (
    <Section id="details" title="Details">
      <Facts
        of={{
          Organisation: <a href={`/console/integrations/${providerId}`}>{integration?.name ?? providerId}</a>,
          "Shift id": (
            <>
              <code>{shiftId}</code>
              <ShiftLinks {...event} />
            </>
          ),
          Received: <Time at={receivedAt} exact zone={integration?.timeZone} />,
          Processed: (
            <>
              {processedAt === undefined ? (
                "not yet"
              ) : (
                <Time at={processedAt} exact zone={integration?.timeZone} />
              )}
              {took !== undefined && `, after ${formatDuration(took)}`}
            </>
          ),
          Attempts: attempts,
          "Event id": <code>{eventId}</code>,
          "Trace id": <code>{traceId}</code>,
        }}
      />
    </Section>
  );
}

function ShiftLinks({ providerId, shiftId }: Event) {
  const jobId = useJobIds([{ providerId, shiftId }])({ providerId, shiftId });
  return (
    <span class="row event-links">
      {jobId !== undefined && <a href={`/console/jobs/${jobId}`}>Job of the shift</a>}
      <a href={eventsAddress({ providerId, shiftId })}>Events of the shift</a>
    </span>
  );
}

/** The stored body of the webhook, masked. */
function Payload({ payload }: Pick<EventDetail, "payload">) {
  const text = JSON.stringify(payload, null, 2);
  const copy = useAction(async () => {
    await copyText(text);
    return "Payload copied.";
  });
  return (
    <Section id="payload" title="Payload">
      <pre class="event-payload">{text}</pre>
      <div class="row">
        <button type="button" onClick={() => void copy.run()}>
          Copy
        </button>
        <span class="hint">Personal numbers are masked.</span>
      </div>
      {copy.error && <ErrorBox error={copy.error} />}
    </Section>
  );
}

/** @throws FailedCall without access to the clipboard: browsers require https and the permission. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new FailedCall({
      title: "The browser denies access to the clipboard",
      detail: "Select the text and copy it by hand.",
    });
  }
}
