import type { Deps, ProviderFinding } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues/issues.ts";
import { withoutPeople } from "../log.ts";
import type { Trx } from "../queue/task.ts";

const FOUND = "provider_check";
const FAILED = "provider_check_failed";
const SUBJECT = "the provider's API";
/** An issue is read by a person. Characters. */
const LONGEST = 4_000;

/** An issue for each kind of finding at an operation; those of an earlier check that are no longer found are settled. */
export async function noteFindings(
  trx: Trx,
  deps: Deps,
  providerId: string,
  findings: readonly ProviderFinding[],
): Promise<void> {
  const bySubject = Map.groupBy(findings, ({ code, operation }) => `${operation}: ${code}`);
  await resolveIssues(trx, deps, { providerId, codes: [FAILED], subject: SUBJECT });
  await settleOthers(trx, deps, providerId, [...bySubject.keys()]);
  for (const [subject, group] of bySubject) {
    const remedy = group[0]?.mend ?? "";
    await raiseIssue(trx, deps, { code: FOUND, providerId, subject, detail: detailOf(group), remedy });
  }
}

/** What an earlier check found is left as it is: nothing is known of it. */
export async function noteCouldNotCheck(
  trx: Trx,
  deps: Deps,
  providerId: string,
  reason: string,
): Promise<void> {
  const detail = storable(`The provider could not be checked: ${reason}.`);
  await raiseIssue(trx, deps, { code: FAILED, providerId, subject: SUBJECT, detail });
}

async function settleOthers(
  trx: Trx,
  { now }: Deps,
  providerId: string,
  subjects: readonly string[],
): Promise<void> {
  const open = trx
    .updateTable("issues")
    .set({ resolved_at: now() })
    .where("provider_id", "=", providerId)
    .where("code", "=", FOUND)
    .where("resolved_at", "is", null);
  await (subjects.length === 0 ? open : open.where("subject", "not in", subjects)).execute();
}

function detailOf(findings: readonly ProviderFinding[]): string {
  return storable(findings.map(textOf).join("\n\n"));
}

function textOf({ severity, title, section, expected, actual, reproduce }: ProviderFinding): string {
  const lines = [
    `${severity === "error" ? "Error" : "Warning"}: ${title} (contract ${section}).`,
    `Expected: ${expected}`,
    `Came: ${actual}`,
    ...(reproduce === "" ? [] : [`See it with: ${reproduce}`]),
  ];
  return lines.join("\n");
}

/** A lookup that shows something may be of somebody real; and PostgreSQL's text cannot hold U+0000. */
function storable(text: string): string {
  return withoutPeople(text).replaceAll("\0", "\\0").slice(0, LONGEST);
}
