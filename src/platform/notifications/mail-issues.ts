import { sql } from "kysely";
import type { Params } from "../../../generated/operations/types.ts";
import { IS_UNDELIVERED } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { type Trx, transact, type Writer, writeAtEnd } from "../transaction.ts";
import { isTooLate, stillHolds } from "./mail-due.ts";

const CODE = "notification_failed";

interface Undelivered {
  providerId: string;
  notificationId: string;
  candidateId: string;
  traceId: string;
  params: Params;
}

/** Raises one issue about the mail server for an outage, however many mails wait. */
export async function raiseOutage(trx: Trx, deps: Deps, undelivered: Undelivered): Promise<void> {
  const { providerId, traceId, params } = undelivered;
  await raiseIssue(trx, deps, {
    code: CODE,
    providerId,
    traceId,
    subject: { kind: "mail_server" },
    params,
    once: true,
  });
}

/** Raises an issue about a notification that no further attempt can deliver. */
export async function raiseRefused(trx: Trx, deps: Deps, undelivered: Undelivered): Promise<void> {
  const { providerId, notificationId, candidateId, traceId, params } = undelivered;
  const subject = { kind: "notification", notificationId, candidateId } as const;
  await raiseIssue(trx, deps, { code: CODE, providerId, traceId, subject, params });
}

/** Resolves the organisation's mail issues whose cause is gone, at the end of the transaction. */
export const resolveMailIssues = (trx: Trx, providerId: string, now: Date): void =>
  writeAtEnd(trx, CLOSED, { providerId, now });

const CLOSED: Writer<{ providerId: string; now: Date }> = {
  table: "issues",
  write: async (trx, rows) => {
    const times = new Map(rows.map(({ providerId, now }) => [providerId, now]));
    for (const [providerId, now] of times)
      await resolveIssues(
        trx,
        { now: () => now },
        { providerId, codes: [CODE], where: isWithoutCause(providerId, now) },
      );
  },
};

/** Whether no mail waits after a failed attempt, or the notification was delivered, was erased, or is of no more use. */
const isWithoutCause = (
  providerId: string,
  now: Date,
) => sql<boolean>`subject ->> 'kind' <> 'webhook' and not exists (
  select 1 from notifications join jobs using (provider_id, job_id)
  where notifications.provider_id = ${providerId} and ${IS_UNDELIVERED} and ${stillHolds(now, providerId)}
    and case when subject ->> 'kind' = 'mail_server'
      then delivery_error in ('mail_server_unreachable', 'mail_server_refused', 'tls_unavailable')
      else notification_id = (subject ->> 'notificationId')::uuid and not ${isTooLate(now)} end)`;

/** Resolves mail issues whose cause ended with time alone, for example because the shift of an offer has started. */
export async function resolvePastMailIssues(deps: Pick<Deps, "database" | "now">): Promise<void> {
  const rows = await deps.database.kysely
    .selectFrom("issues")
    .select("providerId")
    .distinct()
    .where("code", "=", CODE)
    .where("resolvedAt", "is", null)
    .execute();
  for (const { providerId } of rows)
    await transact(deps, async (trx) => resolveMailIssues(trx, providerId, deps.now()));
}
