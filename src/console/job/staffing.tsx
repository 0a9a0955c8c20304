import type { Job, OfferWaves, Reason, StaffingReasonCode } from "../../../generated/operations/types.ts";
import { entryOf, offerOrderText, staffingReasonText, staffingText } from "../../contract/operator-text.ts";
import { addressWith } from "../components/filters.tsx";
import { Section } from "../components/section.tsx";
import { QueryView } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { isAbout, type StreamMessage } from "../data/live.ts";
import { useQuery } from "../data/use-query.ts";

/** Why the job is or is not staffed: the verdict, its reasons, and what to do. */
export function Staffing({ job, zone }: { job: Job; zone: string | undefined }) {
  const { jobId } = job;
  const query = useQuery(
    `explanation of ${jobId}`,
    () => ask(api.explainJob({ params: { path: { jobId } } })),
    (message) => concerns(message, job),
  );
  const isUnstaffed = job.status === "open" || job.status === "blocked_mapping";
  return (
    <Section id="staffing" title={isUnstaffed ? "Why is it not staffed?" : "Staffing"}>
      <QueryView query={query} lines={4}>
        {(explanation) => (
          <>
            <p>
              <strong>{staffingText(explanation)}</strong>
            </p>
            <ul class="reasons">
              {explanation.reasons
                .filter((reason) => staffingReasonText(reason).detail !== staffingText(explanation))
                .map((reason, place) => (
                  <ReasonItem key={`${reason.code} ${place}`} reason={reason} job={job} />
                ))}
            </ul>
            {explanation.waves && <Waves waves={explanation.waves} zone={zone} />}
          </>
        )}
      </QueryView>
    </Section>
  );
}

const Waves = ({ waves, zone }: { waves: OfferWaves; zone: string | undefined }) => (
  <p class="soft">
    {offerOrderText(waves)}
    {waves.nextAt !== undefined && (
      <>
        {" "}
        Next wave: <Time at={waves.nextAt} zone={zone} /> at the earliest.
      </>
    )}
  </p>
);

/** Issues and the state of the integration concern all of its jobs. */
function concerns(message: StreamMessage, { jobId, providerId, shiftId }: Job): boolean {
  const { type } = message;
  return isAbout(message, type === "issue" || type === "integration" ? { providerId } : { jobId, shiftId });
}

function ReasonItem({ reason, job }: { reason: Reason; job: Job }) {
  const { detail, remedy } = staffingReasonText(reason);
  const link = linkOf(reason.code, job);
  return (
    <li>
      <p>{detail}</p>
      {remedy && (
        <p>
          <span class="soft">What to do:</span> {remedy} {link && <a href={link.href}>{link.name}</a>}
        </p>
      )}
    </li>
  );
}

/** The page where the remedy is carried out; undefined where it is this page, or where there is none. */
const PAGES: Partial<Record<StaffingReasonCode, Page>> = {
  being_cancelled: "issues",
  outlet_not_mapped: "mapping",
  role_not_mapped: "mapping",
  integration_draft: "onboarding",
  integration_suspended: "onboarding",
  integration_paused: "health",
  nobody_has_competence: "people",
  nobody_free: "people",
  booking_failed: "issues",
  waiting_for_provider: "health",
  event_waiting: "events",
  event_failed: "events",
  event_dead: "events",
};

type Page = "people" | "issues" | "events" | "mapping" | "onboarding" | "health";

function linkOf(code: StaffingReasonCode, { providerId, shiftId }: Job) {
  const page = entryOf(PAGES, code);
  switch (page) {
    case undefined:
      return undefined;
    case "people":
      return { href: "/console/people", name: "People" };
    case "issues":
      return { href: addressWith("/console/issues", { providerId }), name: "Open issues" };
    case "events":
      return { href: addressWith("/console/events", { providerId, shiftId }), name: "Events" };
    default:
      return { href: `/console/integrations/${providerId}#${page}`, name: "Integration" };
  }
}
