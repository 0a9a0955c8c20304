import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

export interface Mail {
  from: string;
  to: string[];
  /** Headers by their names in lower case, unfolded. */
  headers: Readonly<Record<string, string>>;
  /** The plain text, as it was written: decoded. */
  body: string;
  html: string;
  /** The part for a calendar, and its media type. */
  calendar?: { type: string; text: string };
  /** The media types of the attachments. */
  attachments: string[];
}

/** A mail server for tests. */
export interface MailServer {
  /** `smtp://user:password@…`; no other login is taken. */
  url: string;
  /** Accepted mails, in their order. */
  mails: readonly Mail[];
  /** The number of mails received in full, accepted or not. */
  readonly offered: number;
  /** The number of logins. */
  readonly logins: number;
  /** Refuses the next mails with this reply. `lost` accepts them, but the reply never arrives. */
  refuse(answer: number | "lost", times?: number): void;
  /** Fails in this way until `recover`. */
  fail(outage: Outage): void;
  /** Resolves once it accepts mail again. */
  recover(): Promise<void>;
  close(): Promise<void>;
}

/**
 * `away`: refuses connections. `silent`: accepts them and sends nothing. `cut`: ends the connection when it has the whole mail, which it does not
 * keep. Or the reply to a stage of the session.
 */
export type Outage = "away" | "silent" | "cut" | { at: Stage; reply: number };
type Stage = "connection" | "login" | "sender" | "recipient" | "data";

const LOGIN = { user: "platform", password: "s3cret:@/" };

export interface MailServerOptions {
  /** Called with each mail that is taken. */
  onMail?: (mail: Mail) => void;
  /** Called when all connections are cut, with the mails whose answers may be lost. */
  onCut?: (mails: readonly Mail[]) => void;
}

export async function startMailServer({ onMail, onCut }: MailServerOptions = {}): Promise<MailServer> {
  const mails: Mail[] = [];
  const refusals: (number | "lost")[] = [];
  let outage: Outage | undefined;
  let offered = 0;
  let logins = 0;
  /** The last mail of each session, until the client goes on. */
  const unanswered = new Map<string, Mail>();
  /** Ends every connection where it is. */
  const cut = () => {
    onCut?.([...unanswered.values()]);
    unanswered.clear();
    const { connections } = server as unknown as { connections: Set<{ _socket: { destroy(): void } }> };
    for (const { _socket } of connections) _socket.destroy();
  };
  const replyAt = (stage: Stage): Error | null => {
    if (typeof outage !== "object" || outage.at !== stage) return null;
    return Object.assign(new Error("not now"), { responseCode: outage.reply });
  };
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    logger: false,
    disableReverseLookup: true,
    onConnect: (_session, done) => {
      if (outage !== "silent") done(replyAt("connection"));
    },
    onAuth: ({ username, password }, _session, done) => {
      logins += 1;
      const isKnown = username === LOGIN.user && password === LOGIN.password;
      const error = replyAt("login") ?? (isKnown ? null : new Error("wrong"));
      done(error, error ? undefined : { user: username });
    },
    onMailFrom: (_address, { id }, done) => {
      unanswered.delete(id);
      done(replyAt("sender"));
    },
    onClose: ({ id }) => void unanswered.delete(id),
    onRcptTo: (_address, _session, done) => done(replyAt("recipient")),
    onData: (stream, session, done) => {
      const take = (source: string) => {
        offered += 1;
        if (outage === "cut") return cut();
        const error = replyAt("data");
        if (error) return done(error);
        const refusal = refusals.shift();
        const { mailFrom, rcptTo } = session.envelope;
        const envelope = { from: mailFrom ? mailFrom.address : "", to: rcptTo.map(({ address }) => address) };
        if (refusal === undefined || refusal === "lost") {
          const mail = { ...envelope, ...read(source) };
          mails.push(mail);
          unanswered.set(session.id, mail);
          onMail?.(mail);
        }
        if (refusal === "lost") return cut();
        // Real servers repeat the address in what they say.
        const said = new Error(`not for ${envelope.to.join()}`);
        done(refusal === undefined ? null : Object.assign(said, { responseCode: refusal }));
      };
      // Cut before the mail is there whole.
      text(stream).then(take, () => undefined);
    },
  });
  server.on("error", () => undefined);
  server.listen(0, "127.0.0.1");
  await once(server.server, "listening");
  const { port } = server.server.address() as AddressInfo;
  const login = `${LOGIN.user}:${encodeURIComponent(LOGIN.password)}`;
  return {
    url: `smtp://${login}@127.0.0.1:${port}`,
    mails,
    get offered() {
      return offered;
    },
    get logins() {
      return logins;
    },
    refuse: (answer, times = 1) => void refusals.push(...Array<typeof answer>(times).fill(answer)),
    fail: (next) => {
      outage = next;
      if (next === "away") server.server.close();
      // A connection that is kept would not meet the outage.
      cut();
    },
    recover: async () => {
      outage = undefined;
      cut();
      if (server.server.listening) return;
      server.listen(port, "127.0.0.1");
      await once(server.server, "listening");
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

function read(source: string): Omit<Mail, "from" | "to"> {
  const { headers } = partOf(source);
  const parts = leavesOf(source);
  const of = (type: string) =>
    parts.find((part) => part.headers["content-type"]?.startsWith(type) && !isAttached(part));
  const calendar = of("text/calendar");
  return {
    headers,
    body: of("text/plain")?.body.trimEnd() ?? "",
    html: of("text/html")?.body.trimEnd() ?? "",
    ...(calendar && { calendar: { type: calendar.headers["content-type"] ?? "", text: calendar.body } }),
    attachments: parts.filter(isAttached).map((part) => part.headers["content-type"] ?? ""),
  };
}

type Part = Pick<Mail, "headers" | "body">;

const isAttached = ({ headers }: Part) => headers["content-disposition"]?.startsWith("attachment") ?? false;

/** The parts of a mail that have no further parts. */
function leavesOf(source: string): Part[] {
  const part = partOf(source);
  const [, boundary] = /boundary="([^"]+)"/.exec(part.headers["content-type"] ?? "") ?? [];
  if (boundary === undefined) return [part];
  return source
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((each) => leavesOf(each.slice(2)));
}

function partOf(source: string): Part {
  const end = source.indexOf("\r\n\r\n");
  const lines = source
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  const raw = source.slice(end + 4);
  return { headers, body: decode(raw, headers["content-transfer-encoding"]).replaceAll("\r\n", "\n") };
}

function decode(body: string, encoding = "7bit"): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return body;
  const bytes = body
    .replaceAll(/=\r\n/g, "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
