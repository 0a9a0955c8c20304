import { type Outcome, skipped } from "../finding.ts";
import { assignments } from "./assignments.ts";
import { authentication, unknownWithoutToken } from "./authentication.ts";
import { cancellation } from "./cancellation.ts";
import { candidates, hire } from "./candidates.ts";
import type { Check } from "./check.ts";
import { contracts } from "./contracts.ts";
import { dialect } from "./dialect.ts";
import { fullShift } from "./full-shift.ts";
import { invalidCreations, invalidUpdates } from "./invalid-values.ts";
import { knownPerson, oddLookups } from "./lookups.ts";
import { organisation, reachability } from "./reachability.ts";
import { registry } from "./registry.ts";
import { laterReads, repeatedReads } from "./steady-reads.ts";
import { otherTenant, tenantConflict, tenants } from "./tenants.ts";
import { updates } from "./updates.ts";
import { malformedBodies, malformedIds, unknownIds } from "./wrong-requests.ts";

/** Requirements that a client cannot observe (contract 5): reported as skipped, so that they do not count as checked. */
const notVisible: Check = { group: "answers", isByTitle: true, needs: [], run: skipNotVisible };

async function* skipNotVisible(): AsyncGenerator<Outcome> {
  const reason = "a client cannot observe it: check it on your side";
  yield skipped("skipped_not_visible", "provider", "calls are logged with the traceId of X-Trace-Id", reason);
  yield skipped("skipped_not_visible", "provider", "calls are limited in their rate", reason);
}

/** Every check by its name in reports, in the order of reports. */
const byName: Readonly<Record<string, Check | readonly Check[]>> = {
  reachability,
  dialect,
  organisation,
  knownPerson,
  repeatedReads,
  notVisible,
  candidates,
  hire,
  updates,
  assignments,
  fullShift,
  authentication,
  unknownWithoutToken,
  tenants,
  tenantConflict,
  otherTenant,
  unknownIds,
  malformedIds,
  oddLookups,
  malformedBodies,
  invalidUpdates,
  invalidCreations,
  registry,
  laterReads,
  cancellation,
  contracts,
};

export const checks: readonly Check[] = Object.entries(byName).flatMap(([name, those]) =>
  [those].flat().map((check) => ({ ...check, name: displayName(name) })),
);

/** Returns the name in reports: "malformed ids" for `malformedIds`. */
function displayName(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
