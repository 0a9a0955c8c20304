import type { Job, Notification } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { useNames } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { usePages } from "../data/use-pages.ts";
import { More } from "../parts/more.tsx";
import { Shown } from "../parts/shown.tsx";
import { Time } from "../parts/time.tsx";
import { nameOf, TOLD_WORDS } from "./words.ts";

const PAGE = 6;

/** Who was told what about the job, the latest first. */
export function ToldPanel({ job: { jobId, providerId } }: { job: Job }) {
  const { integration } = useNames();
  const zone = integration(providerId)?.timeZone;
  const pages = usePages(
    `told of ${jobId}`,
    (cursor) => {
      const query = { jobId, limit: PAGE, ...(cursor && { cursor }) };
      return ask(api.listNotifications({ params: { query } }));
    },
    ({ type, data }) => type === "notification" && data.jobId === jobId,
  );
  return (
    <section class="panel" aria-labelledby="told-title">
      <h2 id="told-title">Who was told</h2>
      <Shown query={pages} lines={4}>
        {(told) =>
          told.length === 0 ? (
            <p class="soft">Nobody yet: candidates are told when it is open and fits them.</p>
          ) : (
            <ul class="told">
              {told.map((notification) => (
                <ToldItem key={notification.notificationId} notification={notification} zone={zone} />
              ))}
            </ul>
          )
        }
      </Shown>
      <More pages={pages} />
    </section>
  );
}

function ToldItem({ notification, zone }: { notification: Notification; zone: string | undefined }) {
  const names = useNames();
  const { candidateId, kind, createdAt } = notification;
  return (
    <li>
      <span>
        <strong>{nameOf(candidateId, names)}</strong> {TOLD_WORDS[kind]}
      </span>
      <span class="soft">
        <Time at={createdAt} {...(zone !== undefined && { zone })} />, {wayOf(notification)}
      </span>
    </li>
  );
}

function wayOf({ channel, deliveredAt, deliveryError }: Notification): string {
  if (deliveryError !== undefined) return `not delivered: ${deliveryError}`;
  if (channel === undefined) return "shown on the platform";
  return deliveredAt === undefined ? `by ${channel}, on its way` : `by ${channel}, delivered`;
}
