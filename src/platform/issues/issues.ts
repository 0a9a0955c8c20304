import { sql } from "kysely";
import type { Deps } from "../deps.ts";
import type { Trx } from "../queue/task.ts";

/** Every kind of trouble that needs a person, and what that person should do. */
export const ISSUES = {
  outlet_not_mapped: "Map the outlet to a workplace; the jobs that wait for it go on by themselves.",
  role_not_mapped: "Map the role to a competence; the jobs that wait for it go on by themselves.",
  shift_unusable:
    "Ask the provider to correct what the detail names; the shift's next event is processed as usual.",
  delete_not_confirmed:
    "The provider announced a deletion but still shows the shift as open. Ask the provider which one is right.",
  shift_overfilled:
    "More people are booked than there are positions. Decide who stays, and withdraw the others.",
  provider_refused:
    "The provider refused a call. Check the token, the providerId and the base URL with the provider.",
  provider_down: "Ask the provider. Nothing is lost: what waits goes on by itself once the provider answers.",
  provider_gave_no_answer:
    "Every try failed. For 7 days the event is queued again by itself, each hour and once the provider answers; a replay is sooner.",
  candidate_ambiguous:
    "The provider knows more than one candidate under one personal number. Ask the provider to merge them, then accept again.",
  booking_failed: "The booking ended without the provider's confirmation. Check the shift with the provider.",
  unassign_failed:
    "The provider still has the candidate on the shift. Ask the provider to take the candidate off.",
  cancellation_refused:
    "The provider keeps the shift, and so does the platform. Settle it with the provider.",
  change_refused:
    "The shift is as it was, on both sides. Settle it with the provider, or ask for the change again.",
  provider_check:
    "Tell the provider's engineers what was found; `POST /integrations/{providerId}/verify` looks again.",
  provider_check_failed:
    "Mend what kept the check from being made, then ask for it again: `POST /integrations/{providerId}/verify`.",
  notification_failed:
    "Check the address with the person, or the mail server; what was not delivered is shown in the console.",
} as const;

export type IssueCode = keyof typeof ISSUES;

export interface Issue {
  code: IssueCode;
  providerId: string;
  /** What it is about, such as `shift 4a9d…`; one open issue for each code and subject. */
  subject: string;
  /** What happened. Never holds personal data. */
  detail: string;
  /** What to do; as ISSUES says it unless given. */
  remedy?: string;
  traceId?: string;
}

/** Raises an issue, or counts it once more while it is open. */
export async function raiseIssue(trx: Trx, { newId, now }: Deps, issue: Issue): Promise<void> {
  const { code, providerId, subject, detail, traceId, remedy = ISSUES[code] } = issue;
  const at = now();
  const row = { provider_id: providerId, code, subject, detail, remedy, trace_id: traceId ?? null };
  await trx
    .insertInto("issues")
    .values({ ...row, issue_id: newId(), first_at: at, last_at: at })
    .onConflict((conflict) =>
      conflict
        .columns(["provider_id", "code", "subject"])
        .where("resolved_at", "is", null)
        .doUpdateSet({
          detail,
          remedy,
          trace_id: traceId ?? null,
          last_at: at,
          count: sql`issues.count + 1`,
        }),
    )
    .execute();
}

export const shiftSubject = (shiftId: string): string => `shift ${shiftId}`;

export const bookingSubject = (shiftId: string, candidateId: string): string =>
  `${shiftSubject(shiftId)}, candidate ${candidateId}`;

/** The cause is gone. */
export async function resolveIssues(
  trx: Trx,
  { now }: Deps,
  { codes, providerId, subject }: Pick<Issue, "providerId" | "subject"> & { codes: readonly IssueCode[] },
): Promise<void> {
  await trx
    .updateTable("issues")
    .set({ resolved_at: now() })
    .where("provider_id", "=", providerId)
    .where("code", "in", codes)
    .where("subject", "=", subject)
    .where("resolved_at", "is", null)
    .execute();
}

/** The shift is gone: nothing about it, or about who was booked on it, needs a person any more. */
export async function resolveIssuesOfShift(
  trx: Trx,
  { now }: Deps,
  providerId: string,
  shiftId: string,
): Promise<void> {
  const subject = shiftSubject(shiftId);
  await trx
    .updateTable("issues")
    .set({ resolved_at: now() })
    .where("provider_id", "=", providerId)
    .where((where) =>
      where.or([
        where("subject", "=", subject),
        where(where.fn<boolean>("starts_with", ["subject", where.val(`${subject}, `)]), "=", true),
      ]),
    )
    .where("resolved_at", "is", null)
    .execute();
}

/** A person closes an issue; one that is closed stays so. Answers false when there is none. */
export async function closeIssue({ database, now }: Deps, issueId: string): Promise<boolean> {
  const { kysely } = database;
  const issue = await kysely
    .updateTable("issues")
    .set(({ fn, val }) => ({ resolved_at: fn.coalesce("resolved_at", val(now())) }))
    .where("issue_id", "=", issueId)
    .returning("issue_id")
    .executeTakeFirst();
  return issue !== undefined;
}
