import type { Job } from "../../../generated/operations/types.ts";
import { cancelledByText, warningText } from "../../contract/operator-text.ts";
import { useNames } from "../data/names.ts";
import { Span } from "../parts/time.tsx";
import { placeOf, workOf } from "./labels.ts";
import { Positions } from "./positions.tsx";
import { takenSeats } from "./seats.ts";

/** The properties of the shift and of its job. */
export function FactsPanel({ job }: { job: Job }) {
  const names = useNames();
  const integration = names.integration(job.providerId);
  const zone = integration?.timeZone;
  return (
    <section class="panel" aria-labelledby="shift-title">
      <h2 id="shift-title">Shift</h2>
      <dl class="facts">
        <dt>Time</dt>
        <dd>
          <Span from={job.startTime} to={job.endTime} {...(zone !== undefined && { zone })} />{" "}
          <span class="soft">{zone}</span>
        </dd>
        <dt>Positions</dt>
        <dd>
          <Positions job={job} /> <SeatHolders job={job} />
        </dd>
        {job.cancelledBy !== undefined && (
          <>
            <dt>Cancellation</dt>
            <dd>{cancelledByText(job.cancelledBy)}</dd>
          </>
        )}
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

/** Who takes the positions, where that is not only the platform. */
function SeatHolders({ job }: { job: Job }) {
  const { booked, own } = takenSeats(job);
  if (own === 0) return null;
  return (
    <span class="soft">
      ({booked} booked, {own} assigned by the provider)
    </span>
  );
}

/** Shown where the name is the provider's. */
function Mapped({ isMapped, providerId }: { isMapped: boolean; providerId: string }) {
  if (isMapped) return null;
  return (
    <span class="soft">
      (<a href={`/console/integrations/${providerId}#mapping`}>not mapped</a>)
    </span>
  );
}

function Warnings({ warnings }: { warnings: readonly string[] }) {
  return (
    <div class="notice">
      <p>
        <strong>Warnings about the shift as the provider sent it</strong>
      </p>
      <ul>
        {warnings.map((warning) => (
          <li key={warning}>{warningText(warning)}</li>
        ))}
      </ul>
    </div>
  );
}
