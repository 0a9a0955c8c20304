import { sql } from "kysely";
import type { CheckFinding, Params, Subject } from "../../../generated/operations/types.ts";
import { withoutPeople } from "../../contract/personal-data.ts";
import { jsonTexts } from "../db/fragments.ts";
import type { Deps, ProviderFinding } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import type { Trx } from "../transaction.ts";

const FOUND = "provider_check";
const FAILED = "provider_check_failed";
const SUBJECT: Subject = { kind: "integration" };
/** The longest text of a finding. Characters. */
const LONGEST = 1_000;
const FINDINGS_AT_MOST = 10;

/** Raises an issue for each kind of finding of an operation, and resolves those of earlier checks that were not found again. */
export async function noteFindings(
  trx: Trx,
  deps: Deps,
  providerId: string,
  findings: readonly ProviderFinding[],
): Promise<void> {
  const byKind = Map.groupBy(findings, ({ code, operation }) => `${operation} ${code}`);
  await resolveIssues(trx, deps, { providerId, codes: [FAILED], subject: SUBJECT });
  const isNoLongerFound = sql<boolean>`(subject ->> 'operation') || ' ' || (subject ->> 'finding') <> all (
    array(select ${jsonTexts([...byKind.keys()])}))`;
  await resolveIssues(trx, deps, { providerId, codes: [FOUND], where: isNoLongerFound });
  for (const group of byKind.values()) {
    const [first] = group;
    if (!first) continue;
    const subject: Subject = { kind: "operation", operation: first.operation, finding: first.code };
    const params = { findings: group.slice(0, FINDINGS_AT_MOST).map(viewOf) };
    await raiseIssue(trx, deps, { code: FOUND, providerId, subject, params });
  }
}

/** Raises an issue about a check that could not be made. The findings of earlier checks stay. */
export async function noteCouldNotCheck(
  trx: Trx,
  deps: Deps,
  providerId: string,
  params: Params = {},
): Promise<void> {
  await raiseIssue(trx, deps, { code: FAILED, providerId, subject: SUBJECT, params });
}

function viewOf({ severity, section, reproduce, ...finding }: ProviderFinding): CheckFinding {
  return {
    severity,
    section,
    title: storable(finding.title),
    fix: storable(finding.fix),
    expected: storable(finding.expected),
    actual: storable(finding.actual),
    ...(reproduce !== "" && { reproduce: storable(reproduce) }),
  };
}

/** Removes personal data, which the response of a look-up may contain, and U+0000, which PostgreSQL cannot store. */
function storable(text: string): string {
  return withoutPeople(text).replaceAll("\0", "\\0").slice(0, LONGEST);
}
