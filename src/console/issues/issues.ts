import type { Issue, IssueChanges, IssueCode } from "../../../generated/operations/types.ts";
import { entryOf, URGENCY_OF, type Urgency } from "../../contract/operator-text.ts";
import type { Tone } from "../components/cells.tsx";
import { addressWith } from "../components/filters.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";

export const URGENCIES: Readonly<Record<Urgency, { name: string; tone: Tone }>> = {
  urgent: { name: "Urgent", tone: "bad" },
  normal: { name: "Needs attention", tone: "warn" },
  low: { name: "Low priority", tone: "plain" },
};

export function urgencyOf(code: IssueCode): Urgency {
  return entryOf<Urgency>(URGENCY_OF, code) ?? "normal";
}

/** The issues that an action changes: some of a list, or all of a group. */
export type Selection = Pick<IssueChanges, "issueIds" | "providerId" | "code" | "cause" | "state">;
export type Change = Pick<IssueChanges, "resolve" | "assignedTo" | "snoozedUntil">;

/** Changes all issues of the selection, however many calls that takes. Returns their number. */
export async function changeIssues(selection: Selection, change: Change): Promise<number> {
  let changed = 0;
  for (let more = true; more; ) {
    const result = await ask(api.changeIssues({ body: { ...selection, ...change } }));
    changed += result.changed;
    more = result.more;
  }
  return changed;
}

interface Place {
  name: string;
  /** A section of the page of the integration. */
  section?: string;
}

const ORGANISATION: Place = { name: "Organisation" };
const MAPPING: Place = { name: "Map it", section: "mapping" };
const HEALTH: Place = { name: "Provider health", section: "health" };
const TOKENS: Place = { name: "Tokens", section: "tokens" };
const CHECK: Place = { name: "Provider check", section: "check" };

/** The section in which an operator acts on an issue; all others are handled on the page of the integration. */
const PLACES: Partial<Record<IssueCode, Place>> = {
  outlet_not_mapped: MAPPING,
  role_not_mapped: MAPPING,
  provider_down: HEALTH,
  provider_implausible: HEALTH,
  route_missing: HEALTH,
  mass_disappearance: HEALTH,
  token_rejected: TOKENS,
  provider_check: CHECK,
  provider_check_failed: CHECK,
};

/** Where an issue is fixed: of an outlet or role, its row in the mapping. */
export function placeToFix({ code, providerId, subject }: Issue): { href: string; name: string } {
  const { name, section } = entryOf(PLACES, code) ?? ORGANISATION;
  const { outletId: outlets, roleId: roles } = subject;
  const page = addressWith(`/console/integrations/${providerId}`, { outlets, roles });
  return { href: `${page}${section ? `#${section}` : ""}`, name };
}
