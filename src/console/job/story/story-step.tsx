import type { TraceStep } from "../../../../generated/operations/types.ts";
import { Time } from "../../parts/time.tsx";
import { formatDuration } from "../../parts/times.ts";
import type { Entry } from "./timeline.ts";

interface Props {
  entry: Entry;
  /** Where a link to its story leads. */
  id?: string;
  longestMs: number;
  zone: string | undefined;
}

const STEP_WORDS: Readonly<Record<string, string>> = {
  webhook: "Webhook",
  fetch: "Fetch",
  job: "Job",
  match: "Match",
  notification: "Notification",
  booking: "Booking",
  candidate: "Candidate",
  assign: "Assign",
  unassign: "Unassign",
  cancel: "Cancellation",
  change: "Change",
  event: "Event",
};

export function StoryStep({ entry, id, longestMs, zone }: Props) {
  const { step, story, sinceMs, pauseMs, tone } = entry;
  return (
    <>
      {pauseMs !== undefined && <li class="pause">{formatDuration(pauseMs)} later</li>}
      <li data-tone={tone} id={id} tabIndex={id === undefined ? undefined : -1}>
        <span class="since">{sinceMs === 0 ? "0 ms" : `+${formatDuration(sinceMs)}`}</span>
        <span class="story-mark" title={`Story ${story.number}: ${story.name}, ${story.traceId}`}>
          {story.number}
        </span>
        <span class="station">{STEP_WORDS[step.step] ?? step.step}</span>
        <span class="verdict">{step.verdict}</span>
        <Bar ms={step.durationMs} longestMs={longestMs} />
        <details>
          <summary>
            <span class="unseen">{`${step.step}: `}</span>details
          </summary>
          <Details step={step} traceId={story.traceId} zone={zone} />
        </details>
      </li>
    </>
  );
}

/** Of what took long enough to be measured: the calls to the provider. */
function Bar({ ms, longestMs }: { ms: number | undefined; longestMs: number }) {
  if (ms === undefined) return <span class="took" />;
  return (
    <span class="took">
      <span class="duration" aria-hidden="true">
        <span style={{ inlineSize: `max(2px, ${(100 * ms) / Math.max(ms, longestMs)}%)` }} />
      </span>
      {formatDuration(ms)}
    </span>
  );
}

function Details({ step, traceId, zone }: { step: TraceStep; traceId: string; zone: string | undefined }) {
  const { detail = {} } = step;
  return (
    <div class="stack">
      <dl class="facts">
        <dt>At</dt>
        <dd>
          <Time at={step.at} exact {...(zone !== undefined && { zone })} />
        </dd>
        <dt>Trace</dt>
        <dd>
          <code>{traceId}</code>
        </dd>
      </dl>
      {Object.keys(detail).length > 0 && <pre>{JSON.stringify(detail, null, 2)}</pre>}
    </div>
  );
}
