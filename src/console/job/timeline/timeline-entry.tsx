import type { TraceStep } from "../../../../generated/operations/types.ts";
import { outcomeText, stepText } from "../../../contract/operator-text.ts";
import { Time } from "../../parts/time.tsx";
import { formatDuration } from "../../parts/times.ts";
import type { Entry } from "./timeline.ts";

interface Props {
  entry: Entry;
  /** The target of links to the trace. */
  id?: string;
  longestMs: number;
  zone: string | undefined;
}

export function TimelineEntry({ entry, id, longestMs, zone }: Props) {
  const { step, trace, sinceMs, pauseMs, tone } = entry;
  const station = stepText(step.step);
  return (
    <>
      {pauseMs !== undefined && <li class="pause">{formatDuration(pauseMs)} later</li>}
      <li data-tone={tone} id={id} tabIndex={id === undefined ? undefined : -1}>
        <span class="since">{sinceMs === 0 ? "0 ms" : `+${formatDuration(sinceMs)}`}</span>
        <span class="trace-number" title={`Trace ${trace.number}: ${trace.name}, ${trace.traceId}`}>
          {trace.number}
        </span>
        <span class="station">{station}</span>
        <span class="outcome">{outcomeText(step.verdict, step.step)}</span>
        <Bar ms={step.durationMs} longestMs={longestMs} />
        <details>
          <summary>
            <span class="unseen">{`${station}: `}</span>details
          </summary>
          <Details step={step} traceId={trace.traceId} zone={zone} />
        </details>
      </li>
    </>
  );
}

/** The duration of a measured step: the calls to the provider. */
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
  const { code, params } = step.verdict;
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
        <dt>Code</dt>
        <dd>
          <code>{code}</code>
        </dd>
      </dl>
      {Object.keys(params).length > 0 && <pre>{JSON.stringify(params, null, 2)}</pre>}
    </div>
  );
}
