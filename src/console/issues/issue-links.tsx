import type { Issue, IssueCode } from "../../../generated/operations/types.ts";
import { entryOf } from "../../contract/operator-text.ts";
import { addressOf } from "../events/event-filter.ts";

interface Props {
  issue: Issue;
  /** The job of the shift that the issue is about. */
  jobId: string | undefined;
}

interface Place {
  name: string;
  /** A section of the page of the integration. */
  section?: string;
}

const ORGANISATION: Place = { name: "Organisation" };
const MAPPING: Place = { name: "Mapping", section: "mapping" };
const HEALTH: Place = { name: "Health of the provider", section: "health" };
const TOKENS: Place = { name: "Tokens", section: "tokens" };
const CHECK: Place = { name: "Check of the provider", section: "check" };

/** Where an operator acts on an issue; the page of the integration without a section for all others. */
const PLACES: Partial<Record<IssueCode, Place>> = {
  outlet_not_mapped: MAPPING,
  role_not_mapped: MAPPING,
  provider_down: HEALTH,
  provider_implausible: HEALTH,
  mass_disappearance: HEALTH,
  token_rejected: TOKENS,
  provider_check: CHECK,
  provider_check_failed: CHECK,
};

/** Links to where the issue shows, and to where it is fixed. */
export function IssueLinks({ issue: { code, providerId, subject, params, traceId }, jobId }: Props) {
  const { name, section } = entryOf(PLACES, code) ?? ORGANISATION;
  const { shiftId } = subject;
  const links = [
    providerId !== undefined && {
      href: `/console/integrations/${providerId}${section === undefined ? "" : `#${section}`}`,
      name,
    },
    jobId !== undefined && { href: `/console/jobs/${jobId}`, name: "Job" },
    params.otherJobId !== undefined && { href: `/console/jobs/${params.otherJobId}`, name: "Other job" },
    traceId !== undefined && { href: addressOf({ traceId }), name: "Events of the trace" },
    shiftId !== undefined && {
      href: addressOf({ shiftId, ...(providerId !== undefined && { providerId }) }),
      name: "Events of the shift",
    },
  ].filter((link) => link !== false);
  return (
    <ul class="row">
      {links.map((link) => (
        <li key={link.name}>
          <a href={link.href}>{link.name}</a>
        </li>
      ))}
    </ul>
  );
}
