import { type RawBuilder, sql } from "kysely";
import type { IssueOpenedMessage } from "../../../generated/notifications/types.ts";
import type { IssueCode, Params, Subject } from "../../../generated/operations/types.ts";
import { HOUR_MS, SECOND_MS } from "../../contract/durations.ts";
import { html } from "../../contract/html.ts";
import { URGENCIES, URGENCY_OF, type Urgency } from "../../contract/issue-urgency.ts";
import { capitalised, counted, issueText, people } from "../../contract/operator-text.ts";
import { lockNames } from "../db/advisory-locks.ts";
import { idList } from "../db/fragments.ts";
import type { Channel, Deps, NotificationWebhook } from "../deps.ts";
import { CAUSE, isInState } from "../issues.ts";
import { transact } from "../transaction.ts";

/** An issue that is resolved sooner alerts no operator. */
const DELAY_MS = 30 * SECOND_MS;
/** An issue that is older alerts no operator, which bounds the attempts, and leaves out what was open before alerts were set up. */
const AT_MOST_MS = HOUR_MS;

/** The mark of each way by which operators are alerted. */
type Mark = "mail_alerted_at" | "webhook_alerted_at";

/** Why an alert was not sent. */
interface Failure {
  /** `server`: no other alert can be sent now either. `alert`: another attempt with this one may succeed. `final`: none can. */
  of: "server" | "alert" | "final";
  reason: object;
}

type Send = (message: IssueOpenedMessage) => Promise<Failure | undefined>;

/**
 * Alerts operators of issues with a new cause. A failure is tried again in the next round. After a crash between claim and delivery, the alert is
 * lost, and the issue is still in the queue.
 */
export async function alertOperators(deps: Deps, signal: AbortSignal): Promise<void> {
  const { alerts, channel, webhook } = deps;
  if (!alerts) return;
  const { email, severity } = alerts;
  const isToAlert = isUnclaimed(severity, deps.now());
  const ways: Promise<void>[] = [];
  if (channel && email !== undefined)
    ways.push(alertBy(deps, "mail_alerted_at", isToAlert, mailTo(channel, email, signal), signal));
  if (webhook) ways.push(alertBy(deps, "webhook_alerted_at", isToAlert, postTo(webhook, signal), signal));
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
  const found = await deps.database.kysely
    .selectFrom("issues")
    .select("provider_id")
    .distinct()
    .where(mark, "is", null)
    .where(isToAlert)
    .execute();
  for (const { provider_id: providerId } of found) {
    if (signal.aborted) return;
    const unsent: string[] = [];
    let isServerDown = false;
    for (const claimed of await claim(deps, mark, isToAlert, providerId)) {
      const failure: Failure | undefined = isServerDown
        ? undefined
        : await send(messageOf(providerId, claimed));
      if (failure)
        deps.log.warn(
          { ...failure.reason, mark, issueId: claimed.ids[0] },
          failure.of === "final"
            ? "an alert was refused"
            : "an alert was not sent; the next round tries again",
        );
      isServerDown ||= failure?.of === "server";
      if (isServerDown || failure?.of === "alert") unsent.push(...claimed.ids);
    }
    if (unsent.length > 0) await release(deps, mark, providerId, unsent);
    if (isServerDown) return;
  }
}

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

/**
 * Marks all issues of an organisation that are to be alerted of. Returns those whose cause is new: without an issue that has the mark, and was open
 * when the first of them was raised. The lock makes the marks of another process visible to the statements.
 */
async function claim(
  deps: Deps,
  mark: Mark,
  isToAlert: RawBuilder<boolean>,
  providerId: string,
): Promise<Claimed[]> {
  const column = sql.ref(mark);
  const waiting = (id: "workplace_id" | "competence_id") => sql`(select count(*)::integer from jobs
    where jobs.provider_id = ${providerId} and status = 'blocked_mapping' and ${sql.ref(id)} is null)`;
  return transact(deps, async (trx) => {
    await lockNames("alerts", [providerId]).execute(trx);
    const claimed = await sql<{ id: string }>`
      with due as (
        select issue_id as id from issues where provider_id = ${providerId} and ${column} is null and ${isToAlert} for update skip locked)
      update issues set ${column} = ${deps.now()} from due where provider_id = ${providerId} and issue_id = due.id returning due.id`.execute(
      trx,
    );
    const ids = idList(claimed.rows.map(({ id }) => id));
    const { rows } = await sql<Claimed>`
      with causes as (
        select code, ${CAUSE} as cause, min(first_at) as first_at, array_agg(issue_id::text order by first_at, issue_id) as ids,
          (array_agg(subject order by first_at, issue_id))[1] as subject, (array_agg(params order by first_at, issue_id))[1] as params
        from issues where provider_id = ${providerId} and issue_id = any(${ids}) group by 1, 2)
      select ids, causes.code, cause, causes.subject, causes.params, causes.first_at as "firstAt", name as organisation, issues, people,
        case causes.code when 'outlet_not_mapped' then ${waiting("workplace_id")} when 'role_not_mapped' then ${waiting("competence_id")}
          else shifts end as shifts
      from causes cross join lateral (
        select count(*) filter (where resolved_at is null)::integer as issues,
          bool_or(${column} is not null and issue_id <> all(${ids})) as known,
          (count(distinct subject ->> 'shiftId') filter (where resolved_at is null))::integer as shifts,
          (count(distinct subject ->> 'candidateId') filter (where resolved_at is null))::integer as people
        from issues where provider_id = ${providerId} and code = causes.code and ${CAUSE} = causes.cause
          and (resolved_at is null or resolved_at >= causes.first_at)) as alike
      join integrations on integrations.provider_id = ${providerId}
      where not known order by causes.first_at`.execute(trx);
    return rows;
  });
}

async function release({ database }: Deps, mark: Mark, providerId: string, ids: string[]): Promise<void> {
  const update = database.kysely
    .updateTable("issues")
    .set({ [mark]: null })
    .where("provider_id", "=", providerId);
  await update.where(sql<boolean>`issue_id = any(${idList(ids)})`).execute();
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
