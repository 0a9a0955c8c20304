import type { Notification } from "../../../generated/operations/types.ts";
import { deliveryText, mailWaitText, notificationText } from "../../contract/operator-text.ts";
import { Badge } from "../components/cells.tsx";
import { Resend } from "../components/resend.tsx";
import { Section } from "../components/section.tsx";
import { More, QueryView } from "../components/table.tsx";
import { Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { isAbout } from "../data/live.ts";
import { nameOf, useNames } from "../data/names.ts";
import { usePages } from "../data/pages.ts";

const PAGE = 6;

interface Props {
  of: { jobId: string } | { candidateId: string };
  /** That of the job. */
  providerId?: string;
  zone?: string | undefined;
  /** In place of an empty list. */
  empty: string;
}

/** The notifications about a job, or to a candidate, newest first. */
export function Notifications({ of, providerId, zone, empty }: Props) {
  const pages = usePages(
    `notifications of ${JSON.stringify(of)}`,
    (page) => ask(api.listNotifications({ params: { query: { ...of, limit: PAGE, ...page } } })),
    (message) => message.type === "notification" && isAbout(message, of),
  );
  return (
    <Section id="notifications" title="Notifications">
      <QueryView query={pages} lines={4}>
        {(notifications) =>
          notifications.length === 0 ? (
            <p class="soft">{empty}</p>
          ) : (
            <ul class="notifications">
              {notifications.map((notification) => (
                <Item
                  key={notification.notificationId}
                  notification={notification}
                  zone={zone}
                  providerId={providerId}
                  linksJob={"candidateId" in of}
                />
              ))}
            </ul>
          )
        }
      </QueryView>
      <More pages={pages} />
    </Section>
  );
}

interface ItemProps {
  notification: Notification;
  zone: string | undefined;
  providerId: string | undefined;
  linksJob: boolean;
}

function Item({ notification, zone, providerId, linksJob }: ItemProps) {
  const names = useNames();
  const { notificationId, candidateId, jobId, kind, createdAt, withdrawnAt } = notification;
  const { waitsUntil, waitsFor, linkOpenedAt, declinedAt } = notification;
  const recipient = nameOf(candidateId, names, providerId);
  return (
    <li>
      <span>
        {linksJob ? (
          <a href={`/console/jobs/${jobId}`}>{notificationText(kind)}</a>
        ) : (
          <>
            <strong>{recipient}</strong>: {notificationText(kind)}
          </>
        )}{" "}
        {withdrawnAt !== undefined && (
          <Badge tone="plain">{declinedAt === undefined ? "withdrawn" : "declined"}</Badge>
        )}
      </span>
      <span class="soft">
        <Time at={createdAt} zone={zone} />, {deliveryOf(notification)}
        {waitsUntil !== undefined && waitsFor !== undefined && (
          <>
            , waits for {mailWaitText(waitsFor)} until <Time at={waitsUntil} zone={zone} />
          </>
        )}
        {linkOpenedAt !== undefined && (
          <>
            , link opened <Time at={linkOpenedAt} zone={zone} />
          </>
        )}
        {withdrawnAt !== undefined && (
          <>
            , {declinedAt === undefined ? "withdrawn" : "declined"}{" "}
            <Time at={declinedAt ?? withdrawnAt} zone={zone} />
          </>
        )}
      </span>
      {isUndelivered(notification) && (
        <Resend notificationId={notificationId} of={`${notificationText(kind)}, ${recipient}`} />
      )}
    </li>
  );
}

const isUndelivered = ({ deliveredAt, deliveryError, withdrawnAt }: Notification): boolean =>
  deliveredAt === undefined && deliveryError !== undefined && withdrawnAt === undefined;

function deliveryOf({ channel, deliveredAt, deliveryError, deliveryParams, webhook }: Notification): string {
  const service = webhook === undefined ? undefined : WEBHOOK_TEXT[webhook];
  if (channel === undefined) return service ?? "shown on the platform";
  return [mailText({ channel, deliveredAt, deliveryError, deliveryParams }), service]
    .filter((text) => text !== undefined)
    .join(", ");
}

const WEBHOOK_TEXT = {
  waiting: "to be handed to the webhook",
  sent: "handed to the webhook",
  dropped: "not handed to the webhook",
} satisfies Record<NonNullable<Notification["webhook"]>, string>;

type Mailed = {
  [Key in "channel" | "deliveredAt" | "deliveryError" | "deliveryParams"]: Notification[Key] | undefined;
};

function mailText({ channel, deliveredAt, deliveryError, deliveryParams }: Mailed): string {
  if (deliveredAt !== undefined) return `delivered by ${channel ?? "mail"}`;
  if (deliveryError !== undefined) return `not delivered: ${deliveryText(deliveryError, deliveryParams)}`;
  return `to be sent by ${channel ?? "mail"}`;
}
