import { createTransport } from "nodemailer";
import { CHANNEL_PLACES, MAIL_TIMEOUT_MS, SLOW_MS } from "../../clients/retry-policy.ts";
import type { MailSettings } from "../config.ts";
import type { Channel, Delivery, Mail } from "../deps.ts";
import { calendarInvitation } from "./calendar.ts";

/** The most connections: all places, and an alert of operators. Each is kept for the next mail. */
const CONNECTIONS = 2 * CHANNEL_PLACES + 1;

/** Delivers notifications by email. Only the code of the server's reply is kept, because its text often contains an address. */
export function createEmailChannel(settings: MailSettings): Channel {
  const { url, timeoutMs = MAIL_TIMEOUT_MS } = settings;
  const attempts = createAttempts();
  const transport = createTransport({
    ...serverOf(url),
    pool: true,
    maxConnections: CONNECTIONS,
    // The worker makes further attempts.
    maxRequeues: 0,
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    name: "email",
    deliver: (mail, signal) =>
      attempts.make(mail.address, async () => {
        // From the connection to the last reply, however slowly they come: the limits above are those of silence.
        const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
        try {
          await transport.sendMail({ ...messageOf(mail, settings), signal: limit });
          return { kind: "delivered" };
        } catch (error) {
          return outcomeOf(error);
        }
      }),
    close: () => transport.close(),
  };
}

/** The most attempts at a time with mail to the domains that hang, of all of them together. */
const TRIALS = 3;
const HANGS: Delivery = { kind: "deferred", code: "mail_server_unreachable" };

interface Attempt {
  domain: string;
  /** By `performance.now`. */
  begun: number;
}

/**
 * The attempts under way. A mail server may take its time with the recipients of one domain, whose server it asks: while a mail to them hangs, and one at a time
 * after it failed so, other mail to the domain is deferred without an attempt, and leaves the places to the other domains.
 */
function createAttempts() {
  const open = new Set<Attempt>();
  const hanging = new Set<string>();
  let deliveredAt = Number.NEGATIVE_INFINITY;
  const isSlow = ({ begun }: Attempt) => performance.now() - begun > SLOW_MS;
  const mayBegin = (domain: string) => {
    const alike = [...open].filter((each) => each.domain === domain);
    if (!hanging.has(domain)) return !alike.some(isSlow);
    return alike.length === 0 && [...open].filter((each) => hanging.has(each.domain)).length < TRIALS;
  };
  const end = (attempt: Attempt, outcome: Delivery): Delivery => {
    open.delete(attempt);
    if (outcome.kind === "delivered") {
      deliveredAt = performance.now();
      hanging.delete(attempt.domain);
    } else if (isSlow(attempt)) {
      hanging.add(attempt.domain);
      // The server accepted another mail meanwhile.
      if (outcome.kind === "unavailable" && deliveredAt > attempt.begun)
        return { ...outcome, kind: "deferred" };
    }
    return outcome;
  };
  return {
    make: async (address: string, send: () => Promise<Delivery>): Promise<Delivery> => {
      const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
      if (!mayBegin(domain)) return HANGS;
      const attempt = { domain, begun: performance.now() };
      open.add(attempt);
      return end(attempt, await send());
    },
  };
}

const THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Parses the URL itself: nodemailer would accept any of its options, including file names, from the URL's query. */
function serverOf(text: string) {
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return {
    host,
    secure,
    requireTLS: auth.user !== "" && !THIS_MACHINE.test(host),
    ...(url.port !== "" && { port: Number(url.port) }),
    ...(auth.user !== "" && { auth }),
  };
}

/** Returns the mail. Each notification keeps its Message-ID across attempts, so that a server or mail program can drop repetitions. */
function messageOf(mail: Mail, { from, fromName, replyTo }: MailSettings) {
  const { id, address, organisation, subject, language, text, html, thread, unsubscribe, calendar } = mail;
  const domain = from.slice(from.lastIndexOf("@") + 1);
  return {
    // nodemailer quotes and encodes the name.
    from: { name: `${nameOf(organisation)} via ${fromName ?? domain}`, address: from },
    ...(replyTo !== undefined && { replyTo: { name: "", address: replyTo } }),
    to: { name: "", address },
    envelope: { from, to: [address] },
    messageId: `<${id}@${domain}>`,
    ...(thread !== undefined && { references: `<${thread}@${domain}>` }),
    headers: {
      // Suppresses out-of-office replies (RFC 3834).
      "Auto-Submitted": "auto-generated",
      "Content-Language": language,
      ...(unsubscribe !== undefined && {
        "List-Unsubscribe": `<${unsubscribe}>`,
        // Mail programs may send it without a question (RFC 8058).
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
      }),
    },
    subject,
    text,
    html,
    ...(calendar && { icalEvent: calendarInvitation(calendar, { from, address }) }),
  };
}

/** An organisation's name comes from elsewhere: it must neither add lines nor look like an address. */
const nameOf = (organisation: string): string => organisation.replaceAll(/[\s\p{Cc}<>@"\\]+/gu, " ").trim();

/** Replies about the session, whatever the command: RFC 5321 (service closing, sequence of commands), RFC 4954 (authentication). */
const ABOUT_SESSION = [421, 502, 503, 530, 534, 535, 538];

/** Maps an error to an outcome. Only replies to RCPT TO and DATA concern the mail, and are final from 500. All others are outages, including a refused login or sender. */
function outcomeOf(error: unknown): Delivery {
  const { code, command, responseCode: status } = error as Record<string, unknown>;
  if (code === "ETLS") return { kind: "unavailable", code: "tls_unavailable" };
  if (typeof status !== "number") {
    // Refused before it was sent: the address is not valid.
    if (code === "EENVELOPE" && command === "API") return { kind: "refused", code: "address_unusable" };
    return { kind: "unavailable", code: "mail_server_unreachable" };
  }
  const isAboutMail = (command === "RCPT TO" || command === "DATA") && !ABOUT_SESSION.includes(status);
  const reply = { code: "mail_server_refused", status } as const;
  if (!isAboutMail) return { kind: "unavailable", ...reply };
  return { kind: status >= 500 ? "refused" : "deferred", ...reply };
}
