import type { Job, Notification } from "../../../generated/operations/types.ts";
import { deliveryText, notificationText } from "../../contract/operator-text.ts";
import { api } from "../data/api.ts";
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
  const { integration } = useNames();
  const zone = integration(providerId)?.timeZone;
  const pages = usePages(
    `notifications of ${jobId}`,
    (cursor) => {
      const query = { jobId, limit: PAGE, ...(cursor && { cursor }) };
      return ask(api.listNotifications({ params: { query } }));
    },
    ({ type, data }) => type === "notification" && data.jobId === jobId,
  );
  return (
    <section class="panel" aria-labelledby="notifications-title">
      <h2 id="notifications-title">Notifications</h2>
      <Shown query={pages} lines={4}>
        {(notifications) =>
          notifications.length === 0 ? (
            <p class="soft">None yet. Matching candidates are notified when the job is open.</p>
          ) : (
            <ul class="notifications">
              {notifications.map((notification) => (
                <Item key={notification.notificationId} notification={notification} zone={zone} />
              ))}
            </ul>
          )
        }
      </Shown>
      <More pages={pages} />
    </section>
  );
}

function Item({ notification, zone }: { notification: Notification; zone: string | undefined }) {
  const names = useNames();
  const { notificationId, candidateId, kind, createdAt, withdrawnAt } = notification;
  const recipient = nameOf(candidateId, names);
  const inZone = zone !== undefined && { zone };
  return (
    <li>
      <span>
        <strong>{recipient}</strong>: {notificationText(kind)}{" "}
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
