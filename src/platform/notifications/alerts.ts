import { type Kysely, type RawBuilder, sql } from "kysely";
import type { IssueOpenedMessage } from "../../../generated/notifications/types.ts";
import type { IssueCode, Params, Subject } from "../../../generated/operations/types.ts";
import { html } from "../../contract/html.ts";
import {
  capitalised,
  counted,
  issueText,
  people,
  URGENCIES,
  URGENCY_OF,
  type Urgency,
} from "../../contract/operator-text.ts";
import { HOUR_MS, MINUTE_MS, SECOND_MS } from "../../contract/timestamp.ts";
import { idList, lockNames } from "../db/fragments.ts";
import type { Schema } from "../db/schema.ts";
import type { Channel, Deps, NotificationWebhook } from "../deps.ts";
import { CAUSE, isInState } from "../issues.ts";
import { placeOfLocks, transact } from "../transaction.ts";

/** An issue that is resolved sooner alerts no operator. */
const DELAY_MS = 30 * SECOND_MS;
/** An issue that is older alerts no operator, which bounds the attempts, and leaves out what was open before alerts were set up. */
const AT_MOST_MS = HOUR_MS;

/** A process that has claimed an alert and ended without sending it has it sent by another one, after this time. */
const LEASE_MS = 10 * MINUTE_MS;
/** The most alerts of a round by each way. Further causes wait for the next round. */
const AT_ONCE = 20;
/** No way begins an alert later in a round, because the next round of the other way waits for its end. */
const ROUND_MS = 20 * SECOND_MS;

/** The column of each way by which operators are alerted. */
type Mark = "mailAlertDueAt" | "webhookAlertDueAt";

/** Why an alert was not sent. */
interface Failure {
  /** `server`: no other alert can be sent now either. `alert`: another attempt with this one may succeed. `final`: none can. */
  of: "server" | "alert" | "final";
  reason: object;
}

type Send = (message: IssueOpenedMessage) => Promise<Failure | undefined>;

/** Alerts operators of issues with a new cause. A failure is tried again in the next round. After a crash, an alert may be sent twice, under one id. */
export async function alertOperators(deps: Deps, signal: AbortSignal): Promise<void> {
  const { alerts, channel, webhook } = deps;
  if (!alerts) return;
  const { email, severity } = alerts;
  const isToAlert = isUnclaimed(severity, deps.now());
  const ways: Promise<void>[] = [];
  if (channel && email !== undefined)
    ways.push(alertBy(deps, "mailAlertDueAt", isToAlert, mailTo(channel, email, signal), signal));
  if (webhook) ways.push(alertBy(deps, "webhookAlertDueAt", isToAlert, postTo(webhook, signal), signal));
  for (const way of await Promise.allSettled(ways)) if (way.status === "rejected") throw way.reason;
}

const mailTo =
  (channel: Channel, address: string, signal: AbortSignal): Send =>
  async ({ data }) => {
    const outcome = await channel.deliver({ ...letterOf(data), address, language: "en" }, signal);
    if (outcome.kind === "delivered") return undefined;
    const { kind, ...reason } = outcome;
    return { of: kind === "refused" ? "final" : kind === "deferred" ? "alert" : "server", reason };
  };

const postTo =
  (webhook: NotificationWebhook, signal: AbortSignal): Send =>
  async (message) => {
    const outcome = await webhook.send(message.data.issueId, JSON.stringify(message), signal);
    if (outcome.kind === "accepted") return undefined;
    if (outcome.kind === "gone") return { of: "final", reason: { status: 410 } };
    const { status, failure } = outcome;
    return { of: status === undefined ? "server" : "alert", reason: { status, failure } };
  };

function letterOf({ issueId, organisation, ...alert }: IssueOpenedMessage["data"]) {
  const { severity, title, detail, remedy, issues, shifts, people: candidates } = alert;
  const about = [
    counted(issues, "issue"),
    ...(shifts > 0 ? [counted(shifts, "shift")] : []),
    ...(candidates > 0 ? [people(candidates)] : []),
  ];
  const parts = [
    `${organisation}: ${about.join(", ")}. The first: ${detail}`,
    `What to do: ${remedy}`,
    "The page Issues of the console has all of them. Further issues with this cause send no alert while one is open.",
  ];
  return {
    id: issueId,
    organisation,
    subject: `${capitalised(severity)}: ${title} (${organisation})`,
    text: parts.join("\n\n"),
    html: html`${parts.map((part) => html`<p style="white-space: pre-line">${part}</p>`)}`.text,
  };
}

async function alertBy(
  deps: Deps,
  mark: Mark,
  isToAlert: RawBuilder<boolean>,
  send: Send,
  signal: AbortSignal,
): Promise<void> {
  const isDue = sql<boolean>`${isToAlert} and coalesce(${sql.ref(mark)}, '-infinity') <= ${deps.now()}`;
  const found = await deps.database.kysely
    .selectFrom("issues")
    .select("providerId")
    .where(isDue)
    .groupBy("providerId")
    .orderBy(({ fn }) => fn.min("firstAt"))
    .execute();
  const until = performance.now() + ROUND_MS;
  let left = AT_ONCE;
  let isOver = false;
  for (const { providerId } of found) {
    const claimed = await claim(deps, mark, isDue, { providerId, most: left });
    left -= claimed.length;
    for (const each of claimed) {
      const isTried: boolean = !isOver && !signal.aborted;
      const failure: Failure | undefined = isTried ? await send(messageOf(providerId, each)) : undefined;
      if (failure) logFailure(deps, failure, { mark, issueId: each.ids[0] });
      const isUnsent = !isTried || signal.aborted || (failure && failure.of !== "final");
      isOver ||= failure?.of === "server" || performance.now() > until;
      await setDue(deps.database.kysely, mark, {
        providerId,
        of: [each],
        at: isUnsent ? NEXT_ROUND : SENT,
      });
    }
    if (isOver || signal.aborted || left === 0) return;
  }
}

const logFailure = ({ log }: Deps, { of, reason }: Failure, about: object): void =>
  log.warn(
    { ...reason, ...about },
    of === "final" ? "an alert was refused" : "an alert was not sent; the next round tries again",
  );

/** Whether an open issue is of a code with at least the severity, and neither too new nor too old. */
function isUnclaimed(severity: Urgency, now: Date): RawBuilder<boolean> {
  const most = URGENCIES.indexOf(severity);
  const codes = Object.entries(URGENCY_OF).filter(([, urgency]) => URGENCIES.indexOf(urgency) <= most);
  const [after, until] = [AT_MOST_MS, DELAY_MS].map((ms) => new Date(now.getTime() - ms));
  return sql<boolean>`code in (${sql.join(codes.map(([code]) => code))}) and first_at > ${after} and first_at <= ${until}
    and ${isInState("open", now)}`;
}

/** The claimed issues with one cause, and figures of all open ones with it. */
interface Claimed {
  /** The first one first. */
  ids: string[];
  code: IssueCode;
  cause: string;
  subject: Subject;
  params: Params;
  firstAt: Date;
  organisation: string;
  issues: number;
  shifts: number;
  people: number;
}

/** When an alert of an issue is due again. */
const NEXT_ROUND = sql<null>`null`;
const SENT = sql<Date>`'infinity'`;

/**
 * Claims the alerts that are due at an organisation, the oldest first, for as long as the lease. A cause is new without an issue of which an alert was sent, and which
 * was open when the first of these was raised: the other issues count as alerted of. What another process has claimed is left alone until its outcome is known.
 */
async function claim(
  deps: Deps,
  mark: Mark,
  isDue: RawBuilder<boolean>,
  { providerId, most }: { providerId: string; most: number },
): Promise<Claimed[]> {
  const column = sql.ref(mark);
  const waiting = (id: "workplaceId" | "competenceId") => sql`(select count(*)::integer from jobs
    where jobs.provider_id = ${providerId} and status = 'blocked_mapping' and ${sql.ref(id)} is null)`;
  return transact(deps, async (trx) => {
    // Makes what another process has claimed visible to the statement.
    await lockNames("alerts", [providerId]).execute(await placeOfLocks(trx));
    const { rows } = await sql<Claimed & { state: "new" | "claimed" | "sent" }>`
      with causes as (
        select code, ${CAUSE} as cause, min(first_at) as first_at, array_agg(issue_id::text order by first_at, issue_id) as ids,
          (array_agg(subject order by first_at, issue_id))[1] as subject, (array_agg(params order by first_at, issue_id))[1] as params
        from issues where provider_id = ${providerId} and ${isDue} group by 1, 2)
      select ids, causes.code, cause, causes.subject, causes.params, causes.first_at, name as organisation, issues, people,
        case causes.code when 'outlet_not_mapped' then ${waiting("workplaceId")} when 'role_not_mapped' then ${waiting("competenceId")}
          else shifts end as shifts,
        case when last_due = ${SENT} then 'sent' when last_due > ${deps.now()} then 'claimed' else 'new' end as state
      from causes cross join lateral (
        select count(*) filter (where resolved_at is null)::integer as issues, max(${column}) as last_due,
          (count(distinct subject ->> 'shiftId') filter (where resolved_at is null))::integer as shifts,
          (count(distinct subject ->> 'candidateId') filter (where resolved_at is null))::integer as people
        from issues where provider_id = ${providerId} and code = causes.code and ${CAUSE} = causes.cause
          and (resolved_at is null or resolved_at >= causes.first_at)) as alike
      join integrations on integrations.provider_id = ${providerId}
      order by causes.first_at`.execute(trx);
    const inState = (wanted: string) =>
      rows.flatMap(({ state, ...each }) => (state === wanted ? [each] : []));
    const claimed = inState("new").slice(0, most);
    const until = sql<Date>`${new Date(deps.now().getTime() + LEASE_MS)}::timestamptz`;
    await setDue(trx, mark, { providerId, of: inState("sent"), at: SENT });
    await setDue(trx, mark, { providerId, of: claimed, at: until });
    return claimed;
  });
}

async function setDue(
  db: Kysely<Schema>,
  mark: Mark,
  { providerId, of, at }: { providerId: string; of: readonly Claimed[]; at: RawBuilder<Date | null> },
): Promise<void> {
  if (of.length === 0) return;
  const update = db
    .updateTable("issues")
    .set({ [mark]: at })
    .where("providerId", "=", providerId);
  await update.where(sql<boolean>`issue_id = any(${idList(of.flatMap(({ ids }) => ids))})`).execute();
}

function messageOf(providerId: string, claimed: Claimed): IssueOpenedMessage {
  const { ids, code, subject, params, firstAt, ...figures } = claimed;
  const [issueId = ""] = ids;
  return {
    type: "issue.opened",
    timestamp: firstAt.toISOString(),
    data: {
      issueId,
      providerId,
      code,
      severity: URGENCY_OF[code],
      ...issueText({ code, subject, params }),
      ...figures,
    },
  };
}
