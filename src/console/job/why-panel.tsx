import type { Job, Reason } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { Shown } from "../parts/shown.tsx";

/** Why is it not staffed: the verdict, the facts that lead to it, and what to do. */
export function WhyPanel({ job }: { job: Job }) {
  const { jobId, providerId, shiftId } = job;
  const query = useQuery(
    `explanation of ${jobId}`,
    () => ask(api.explainJob({ params: { path: { jobId } } })),
    ({ type, data }) =>
      type === "issue" ? data.providerId === providerId : data.jobId === jobId || data.shiftId === shiftId,
  );
  const isAsked = job.status === "open" || job.status === "blocked_mapping";
  return (
    <section class="panel" aria-labelledby="why-title">
      <h2 id="why-title">{isAsked ? "Why is it not staffed?" : "How it stands"}</h2>
      <Shown query={query} lines={4}>
        {({ verdict, reasons }) => (
          <div class="stack">
            <p>
              <strong>{verdict}</strong>
            </p>
            <ul class="reasons">
              {reasons.map((reason) => (
                <ReasonItem key={`${reason.code} ${reason.detail}`} reason={reason} job={job} />
              ))}
            </ul>
          </div>
        )}
      </Shown>
    </section>
  );
}

function ReasonItem({ reason: { code, detail, remedy }, job }: { reason: Reason; job: Job }) {
  const way = wayOf(code, job);
  return (
    <li>
      <p>{detail}</p>
      {remedy && (
        <p>
          <span class="soft">What to do:</span> {remedy} {way && <a href={way.href}>{way.name}</a>}
        </p>
      )}
      <p>
        <code class="soft">{code}</code>
      </p>
    </li>
  );
}

/** Where the remedy is. */
function wayOf(code: string, { providerId, shiftId }: Job): { href: string; name: string } | undefined {
  if (code.endsWith("_not_mapped") || code.startsWith("integration_")) {
    return { href: `/console/integrations/${providerId}`, name: "To the integration" };
  }
  if (code.startsWith("event_")) {
    return { href: `/console/events?${new URLSearchParams({ providerId, shiftId })}`, name: "To its events" };
  }
  if (code === "booking_failed" || code === "being_cancelled") {
    return { href: `/console/issues?providerId=${providerId}`, name: "To the issues" };
  }
  return undefined;
}
