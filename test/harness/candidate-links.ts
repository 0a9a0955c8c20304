import type { Channel, Mail } from "../../src/platform/deps.ts";
import type { TestDatabase } from "./engines.ts";
import { type HttpResponse, send } from "./http.ts";
import {
  type OrganisationOptions,
  type StartedOrganisation,
  startOrganisation,
} from "./started-organisation.ts";

/** Where the links of mails lead in tests; a test sends them to its platform. */
export const PUBLIC_URL = "https://work.example";

/** A mail server that keeps mails. */
export function catchMail(): { channel: Channel; mails: Mail[] } {
  const mails: Mail[] = [];
  return {
    mails,
    channel: {
      name: "email",
      deliver: async (mail) => {
        mails.push(mail);
        return { kind: "delivered" };
      },
      close: () => undefined,
    },
  };
}

/** Starts an organisation whose candidates get mails with links. */
export async function startWithLinks(
  database: TestDatabase,
  { config, ...options }: OrganisationOptions = {},
): Promise<{ organisation: StartedOrganisation; mails: Mail[] }> {
  const { channel, mails } = catchMail();
  const settings = { publicUrl: PUBLIC_URL, ...config };
  return {
    organisation: await startOrganisation(database, { channel, config: settings, ...options }),
    mails,
  };
}

/** Returns the paths of the links in a mail, in their order. */
export const linksIn = ({ text }: Pick<Mail, "text">): string[] =>
  [...text.matchAll(/https:\/\/work\.example(\/c\/\S+)/g)].map(([, path = ""]) => path);

/** Returns the first link in the last mail with this subject. */
export function linkOf(mails: readonly Mail[], subject: RegExp): string {
  const mail = mails.findLast((each) => subject.test(each.subject));
  const [link] = mail ? linksIn(mail) : [];
  if (!link) throw new Error(`no mail with a link among ${mails.map((each) => each.subject).join("; ")}`);
  return link;
}

/** Returns the link to all shifts of the candidate in a mail. */
export const ownLinkIn = (mail: Pick<Mail, "text"> | undefined): string =>
  linksIn(mail ?? { text: "" }).find((link) => link.startsWith("/c/shifts/")) ?? "";

/** Sends what a browser sends with the form of a page: what the page has shown, too. */
export async function answerOn(
  url: string,
  path: string,
  answer: string,
  headers: Record<string, string> = { "sec-fetch-site": "same-origin", origin: "null" },
): Promise<HttpResponse> {
  return sendForm(url, path, { answer, ...(await shownOn(url, path, answer, headers)) }, headers);
}

/** Opens the page that asks for an answer, and returns what its form says that it shows. */
export async function shownOn(
  url: string,
  path: string,
  answer: string,
  headers?: Record<string, string>,
): Promise<{ shown?: string }> {
  const page = `${path}${path.includes("?") ? "&" : "?"}ask=${answer}`;
  const { text } = await send(url, page, { ...(headers && { headers }) });
  const [, shown] = /name="shown" value="([^"]*)"/.exec(text) ?? [];
  return shown === undefined ? {} : { shown };
}

export const sendForm = (
  url: string,
  path: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<HttpResponse> =>
  send(url, path, {
    method: "POST",
    body: new URLSearchParams(fields).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });

/** Returns the heading of a page. */
export const headingOf = ({ text }: HttpResponse): string => /<h1>([^<]*)<\/h1>/.exec(text)?.[1] ?? "";

/** Returns the answers for which a page has buttons. */
export const buttonsOf = ({ text }: HttpResponse): string[] =>
  [...text.matchAll(/name="answer" value="([^"]*)"/g)].map(([, answer = ""]) => answer);

/** Returns the answers for which a page leads to one that asks. */
export const asksOf = ({ text }: HttpResponse): string[] =>
  [...text.matchAll(/&amp;ask=(\w+)"/g)].map(([, answer = ""]) => answer);
