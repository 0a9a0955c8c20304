import type { Channel, Mail } from "../../platform/deps.ts";
import { type DemoContext, expectOk, until } from "./step.ts";

/** A mail server that keeps the last mails, so that the demo sends none to anyone. */
export function catchMails(): { channel: Channel; mails: readonly Mail[] } {
  const mails: Mail[] = [];
  const deliver: Channel["deliver"] = async (mail) => {
    mails.push(mail);
    if (mails.length > KEPT) mails.shift();
    return { kind: "delivered" };
  };
  return { mails, channel: { name: "email", deliver, close: () => undefined } };
}

const KEPT = 100;

/** What reaches a candidate of a notification: the link in the mail, and what the service for SMS or chat gets. */
interface Reached {
  firstName: string;
  url: string;
  /** Undefined when the messages go to a service of the company's own. */
  message: string | undefined;
}

/** Sends a candidate the offer of an open shift. @throws Error when no such mail comes in time. */
export async function mailedLink(
  demo: DemoContext,
  mails: readonly Mail[],
  messages: readonly string[] | undefined,
): Promise<Reached> {
  const { operations, platformUrl } = demo;
  const notificationId = await until(demo, "an offer", () => readOffer(demo));
  const path = { notificationId };
  const { candidateId } = expectOk(await operations.resendNotification({ params: { path } }));
  const { firstName } = expectOk(await operations.getCandidate({ params: { path: { candidateId } } }));
  const link = await until(demo, "the mail of the offer", async () => {
    const mail = mails.findLast(({ id }) => id.startsWith(notificationId));
    return mail && /\/c\/[\w-]+/.exec(mail.text)?.[0];
  });
  const find = async () => messages?.findLast((each) => each.includes(link));
  const message = messages && (await until(demo, "the message of the offer", find));
  return { firstName, url: platformUrl + link, message };
}

/** Returns an offer of the first open shift that still holds. */
async function readOffer({ operations, provider: { providerId } }: DemoContext): Promise<string | undefined> {
  const query = { providerId, status: "open" } as const;
  const [job] = expectOk(await operations.listJobs({ params: { query } })).items;
  if (!job) return undefined;
  const { items } = expectOk(await operations.listNotifications({ params: { query: { jobId: job.jobId } } }));
  const booked = job.bookings.map(({ candidateId }) => candidateId);
  return items.find(
    ({ kind, withdrawnAt, candidateId }) =>
      kind === "job_offered" && withdrawnAt === undefined && !booked.includes(candidateId),
  )?.notificationId;
}
