import { createTransport } from "nodemailer";
import { MAIL_TIMEOUT_MS } from "../../clients/retry-policy.ts";
import type { Channel, Delivery, Letter } from "../deps.ts";

export interface MailSettings {
  /**
   * `smtp://` (STARTTLS when the server offers it; with a password it must, unless it is on this machine) or `smtps://`, with user and
   * password percent-encoded.
   */
  url: string;
  /** A bare address. */
  from: string;
  /** From the call to the server's last reply, for one mail. Milliseconds. */
  timeoutMs?: number;
}

/** Connections at most, each kept for the next mail. */
const CONNECTIONS = 5;

/** Notifications by e-mail. The server's own text often holds an address: only its code is kept. */
export function createEmailChannel({ url, from, timeoutMs = MAIL_TIMEOUT_MS }: MailSettings): Channel {
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
    deliver: async (letter, signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      try {
        await transport.sendMail({ ...mailOf(letter, from), signal: limit });
        return { kind: "delivered" };
      } catch (error) {
        return outcomeOf(error);
      }
    },
    close: () => transport.close(),
  };
}

const THIS_MACHINE = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/i;

/** Parsed here, because nodemailer accepts any of its options, file names among them, in the URL's query. */
function serverOf(text: string) {
  const url = new URL(text);
  const secure = url.protocol === "smtps:";
  const auth = { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  return {
    ...{ host, secure, requireTLS: auth.user !== "" && !THIS_MACHINE.test(host) },
    ...(url.port !== "" && { port: Number(url.port) }),
    ...(auth.user !== "" && { auth }),
  };
}

/** One Message-ID for each notification, however often it is sent: a server or a mail program drops the repetition. */
function mailOf({ id, address, subject, text }: Letter, from: string) {
  return {
    from: { name: "", address: from },
    to: { name: "", address },
    envelope: { from, to: [address] },
    messageId: `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`,
    // RFC 3834: no absence note is sent back.
    headers: { "Auto-Submitted": "auto-generated" },
    subject,
    text,
  };
}

/** Replies about the session, whichever command they answer: RFC 5321 (service closing, sequence of commands), RFC 4954 (authentication). */
const ABOUT_SESSION = [421, 502, 503, 530, 534, 535, 538];

/** Only a reply to RCPT TO or DATA is about the mail: from 500 it is final. Everything else is an outage, a refused login or sender too. */
function outcomeOf(error: unknown): Delivery {
  const { code, command, responseCode: status } = error as Record<string, unknown>;
  if (code === "ETLS") return { kind: "unavailable", code: "tls_unavailable" };
  if (typeof status !== "number") {
    // Refused before it was sent: the address is none that mail could go to.
    if (code === "EENVELOPE" && command === "API") return { kind: "refused", code: "address_unusable" };
    return { kind: "unavailable", code: "mail_server_unreachable" };
  }
  const isAboutMail = (command === "RCPT TO" || command === "DATA") && !ABOUT_SESSION.includes(status);
  const reply = { code: "mail_server_refused", status } as const;
  if (!isAboutMail) return { kind: "unavailable", ...reply };
  return { kind: status >= 500 ? "refused" : "deferred", ...reply };
}
