import type { Job } from "../../../generated/operations/types.ts";
import { useNames } from "../data/names.ts";
import { Span } from "../parts/time.tsx";
import { Positions } from "./positions.tsx";
import { placeOf, workOf } from "./words.ts";

/** What, where, when, for whom, and under which ids. */
export function FactsPanel({ job }: { job: Job }) {
  const names = useNames();
  const integration = names.integration(job.providerId);
  const zone = integration?.timeZone;
  return (
    <section class="panel" aria-labelledby="shift-title">
      <h2 id="shift-title">The shift</h2>
      <dl class="facts">
        <dt>Time</dt>
        <dd>
          <Span from={job.startTime} to={job.endTime} {...(zone !== undefined && { zone })} />{" "}
          <span class="soft">{zone}</span>
        </dd>
        <dt>Positions</dt>
        <dd>
          <Positions job={job} />
        </dd>
        <dt>Workplace</dt>
        <dd>
          {placeOf(job, names)}{" "}
          <Mapped isMapped={job.workplaceId !== undefined} providerId={job.providerId} />
        </dd>
        <dt>Competence</dt>
        <dd>
          {workOf(job, names)}{" "}
          <Mapped isMapped={job.competenceId !== undefined} providerId={job.providerId} />
        </dd>
        <dt>Organisation</dt>
        <dd>
          <a href={`/console/integrations/${job.providerId}`}>{integration?.name ?? job.providerId}</a>
        </dd>
        <dt>Shift</dt>
        <dd>
          <code>{job.shiftId}</code>
        </dd>
        <dt>Job</dt>
        <dd>
          <code>{job.jobId}</code>
        </dd>
      </dl>
      {job.warnings.length > 0 && <Warnings warnings={job.warnings} />}
    </section>
  );
}

/** The name is the provider's then. */
function Mapped({ isMapped, providerId }: { isMapped: boolean; providerId: string }) {
  if (isMapped) return null;
  return (
    <span class="soft">
      (not mapped: <a href={`/console/integrations/${providerId}`}>map it</a>)
    </span>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  return (
    <div class="notice">
      <p>
        <strong>What was odd about the shift as the provider sent it</strong>
      </p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warning}</li>
        ))}
      </ul>
    </div>
  );
}
