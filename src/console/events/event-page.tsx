import "./events.css";
import { useRoute } from "preact-iso";
import type { Event, EventDetail, TraceStep } from "../../../generated/operations/types.ts";
import { outcomeText, stepText } from "../../contract/operator-text.ts";
import { Facts } from "../components/cells.tsx";
import { ErrorBox, PageHead, Section } from "../components/section.tsx";
import { QueryView } from "../components/table.tsx";
import { formatDuration, Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask, FailedCall } from "../data/errors.ts";
import { isAbout } from "../data/live.ts";
import { useNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";
import { useQuery } from "../data/use-query.ts";
import { EventBadge, eventsAddress, type TimedStep, timedSteps, tookMs } from "./event.tsx";
import { Replay } from "./replay-since.tsx";
import { useJobIds } from "./use-job-ids.ts";

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

/** Every step with the event's traceId. */
function EventTrace({ event }: { event: Event }) {
  const { traceId, shiftId, providerId } = event;
  const jobId = useJobIds([event])(event);
  const query = useQuery(
    `trace ${traceId} of ${providerId}`,
    () => ask(api.getTrace({ params: { path: { traceId }, query: { providerId } } })),
    // Messages about bookings and notifications name the job, all others the shift.
    (message) => isAbout(message, { shiftId, jobId }),
  );
  const zone = useNames().integration(providerId)?.timeZone;
  return (
    <Section id="trace" title="Trace">
      <QueryView query={query} lines={6}>
        {({ steps }) => <Steps steps={steps} zone={zone} />}
      </QueryView>
      <p class="event-links">
        <a href={eventsAddress({ traceId })}>Events of this trace</a>
      </p>
    </Section>
  );
}

function Steps({ steps, zone }: { steps: TraceStep[]; zone: string | undefined }) {
  const jobId = steps.find((step) => step.jobId !== undefined)?.jobId;
  return (
    <>
      <ol class="event-trace">
        {timedSteps(steps).map((each, place) => (
          <Step key={place} {...each} zone={zone} />
        ))}
      </ol>
      {jobId !== undefined && (
        <p class="event-links">
          <a href={`/console/jobs/${jobId}`}>Job of this trace</a>
        </p>
      )}
    </>
  );
}

function Step({
  step: { step, verdict, at, durationMs },
  afterMs,
  zone,
}: TimedStep & { zone: string | undefined }) {
  const { traceId: other } = verdict.params;
  return (
    <li>
      <p class="row">
        <strong>{stepText(step)}</strong>
        {durationMs !== undefined && <span class="soft">took {formatDuration(durationMs)}</span>}
        <span class="soft push">
          <Time at={at} exact zone={zone} />
          {afterMs > 0 && ` +${formatDuration(afterMs)}`}
        </span>
      </p>
      <p>{outcomeText(verdict, step)}</p>
      {other !== undefined && (
        <p>
          <a href={eventsAddress({ traceId: other })}>Continued in another trace</a>
        </p>
      )}
    </li>
  );
}
