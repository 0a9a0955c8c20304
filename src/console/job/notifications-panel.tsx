import type { Job, Notification } from "../../../generated/operations/types.ts";
import { deliveryText, notificationText } from "../../contract/operator-text.ts";
import { api } from "../data/api.ts";
import { isAbout } from "../data/live.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { usePages } from "../data/use-pages.ts";
import { Badge } from "../parts/badge.tsx";
import { More } from "../parts/more.tsx";
import { Resend } from "../parts/resend.tsx";
import { Shown } from "../parts/shown.tsx";
import { Time } from "../parts/time.tsx";
import { nameOf } from "./labels.ts";

const PAGE = 6;

/** The notifications about the job, newest first. */
export function NotificationsPanel({ job: { jobId, providerId } }: { job: Job }) {
  const zone = useNames().integration(providerId)?.timeZone;
  return (
    <Notifications
      of={{ jobId }}
      zone={zone}
      empty="None yet. Matching candidates are notified when the job is open."
    />
  );
}

interface Props {
  of: { jobId: string } | { candidateId: string };
  zone?: string | undefined;
  /** In place of an empty list. */
  empty: string;
}

/** The notifications about a job, or to a candidate, newest first. */
export function Notifications({ of, zone, empty }: Props) {
  const pages = usePages(
    `notifications of ${JSON.stringify(of)}`,
    (cursor) =>
      ask(api.listNotifications({ params: { query: { ...of, limit: PAGE, ...(cursor && { cursor }) } } })),
    (message) => message.type === "notification" && isAbout(message, of),
  );
  return (
    <section class="panel" aria-labelledby="notifications-title">
      <h2 id="notifications-title">Notifications</h2>
      <Shown query={pages} lines={4}>
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
                  linksJob={"candidateId" in of}
                />
              ))}
            </ul>
          )
        }
      </Shown>
      <More pages={pages} />
    </section>
  );
}

interface ItemProps {
  notification: Notification;
  zone: string | undefined;
  linksJob: boolean;
}

function Item({ notification, zone, linksJob }: ItemProps) {
  const names = useNames();
  const { notificationId, candidateId, jobId, kind, createdAt, withdrawnAt } = notification;
  const recipient = nameOf(candidateId, names);
  const inZone = zone !== undefined && { zone };
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
        {withdrawnAt !== undefined && <Badge tone="plain">withdrawn</Badge>}
      </span>
      <span class="soft">
        <Time at={createdAt} {...inZone} />, {deliveryOf(notification)}
        {withdrawnAt !== undefined && (
          <>
            , withdrawn <Time at={withdrawnAt} {...inZone} />
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

function deliveryOf({ channel, deliveredAt, deliveryError, deliveryParams }: Notification): string {
  if (deliveredAt !== undefined) return `delivered by ${channel ?? "mail"}`;
  if (deliveryError !== undefined) return `not delivered: ${deliveryText(deliveryError, deliveryParams)}`;
  return channel === undefined ? "shown on the platform" : `being sent by ${channel}`;
}
