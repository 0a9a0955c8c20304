import type { Job, ProviderPerson } from "../../../generated/operations/types.ts";
import { cancelledByText, counted, warningText } from "../../contract/operator-text.ts";
import { Facts, ShortId } from "../components/cells.tsx";
import { Section } from "../components/section.tsx";
import { Span, shownZone } from "../components/time.tsx";
import { nameOf, placeOf, useNames, workOf } from "../data/names.ts";
import { takenSeats } from "./job.ts";
import { Positions } from "./statuses.tsx";

/** The properties of the shift and of its job. */
export function JobFacts({ job }: { job: Job }) {
  const names = useNames();
  const { providerId, startTime, endTime, cancelledBy, warnings } = job;
  const integration = names.integration(providerId);
  const zone = integration?.timeZone;
  return (
    <Section id="shift" title="Shift">
      <Facts
        of={{
          Time: (
            <>
              <Span from={startTime} to={endTime} zone={zone} /> <span class="soft">{shownZone(zone)}</span>
            </>
          ),
          Positions: (
            <>
              <Positions job={job} /> <SeatHolders job={job} />
            </>
          ),
          Cancellation: cancelledBy && cancelledByText(cancelledBy),
          Workplace: (
            <>
              {placeOf(job, names)} <Mapped to={job.workplaceId} providerId={providerId} />
            </>
          ),
          Competence: (
            <>
              {workOf(job, names)} <Mapped to={job.competenceId} providerId={providerId} />
            </>
          ),
          Organisation: <a href={`/console/integrations/${providerId}`}>{integration?.name ?? providerId}</a>,
          "Shift id": <code>{job.shiftId}</code>,
          "Job id": <code>{job.jobId}</code>,
        }}
      />
      {warnings.length > 0 && <Warnings warnings={warnings} />}
    </Section>
  );
}

/** How the taken positions divide, if the provider assigned people itself. */
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
function Mapped({ to, providerId }: { to: string | undefined; providerId: string }) {
  if (to !== undefined) return null;
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

/** The people whom the provider assigned itself. The API lists at most 100 of them. */
export function OwnPeople({ job: { providerId, ownPeople, ownPeopleCount } }: { job: Job }) {
  const unlisted = ownPeopleCount - ownPeople.length;
  return (
    <Section id="own-people" title="Assigned by the provider">
      <p class="hint">They take positions. The platform never removes them.</p>
      <ul class="own-people">
        {ownPeople.map((person) => (
          <OwnPerson key={person.providerCandidateId} {...person} providerId={providerId} />
        ))}
      </ul>
      {unlisted > 0 && <p class="soft">{counted(unlisted, "more person", "more people")}</p>}
    </Section>
  );
}

function OwnPerson({
  providerCandidateId,
  candidateId,
  providerId,
}: ProviderPerson & { providerId: string }) {
  const names = useNames();
  return (
    <li>
      {candidateId === undefined ? (
        <span class="soft">Not a candidate on the platform</span>
      ) : (
        nameOf(candidateId, names, providerId)
      )}{" "}
      <span class="soft">
        (<ShortId id={providerCandidateId} />)
      </span>
    </li>
  );
}
