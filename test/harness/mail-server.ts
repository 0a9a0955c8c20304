import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import PostalMime, { type Attachment } from "postal-mime";
import { SMTPServer } from "smtp-server";
import { drip } from "./receiver.ts";

export interface Mail {
  from: string;
  to: string[];
  /** The name beside the sender's address. */
  sender: string;
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
  /** What becomes of a recipient; the reply to one that is refused. */
  onRecipient?: (address: string) => "accept" | "hang" | "drip" | number;
  /** Called when all connections are cut, with the mails whose answers may be lost. */
  onCut?: (mails: readonly Mail[]) => void;
}

export async function startMailServer({
  onMail,
  onCut,
  onRecipient = () => "accept",
}: MailServerOptions = {}): Promise<MailServer> {
  const mails: Mail[] = [];
  const refusals: (number | "lost")[] = [];
  let outage: Outage | undefined;
  let offered = 0;
  let logins = 0;
  /** The last mail of each session, until the client goes on. */
  const unanswered = new Map<string, Mail>();
  const connections = () => [
    ...(server as unknown as { connections: Set<{ id: string; _socket: Socket }> }).connections,
  ];
  /** Ends every connection where it is. */
  const cut = () => {
    onCut?.([...unanswered.values()]);
    unanswered.clear();
    for (const { _socket } of connections()) _socket.destroy();
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
    onRcptTo: ({ address }, session, done) => {
      const outcome = onRecipient(address);
      if (outcome === "accept") return done(replyAt("recipient"));
      if (typeof outcome === "number") return done(Object.assign(new Error("no"), { responseCode: outcome }));
      const asking = connections().find(({ id }) => id === session.id);
      if (outcome === "drip" && asking) drip(asking._socket, "250-");
    },
    onData: (stream, session, done) => {
      const take = async (source: string) => {
        offered += 1;
        if (outage === "cut") return cut();
        const error = replyAt("data");
        if (error) return done(error);
        const refusal = refusals.shift();
        const { mailFrom, rcptTo } = session.envelope;
        const envelope = { from: mailFrom ? mailFrom.address : "", to: rcptTo.map(({ address }) => address) };
        if (refusal === undefined || refusal === "lost") {
          const mail = { ...envelope, ...(await read(source)) };
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

async function read(source: string): Promise<Omit<Mail, "from" | "to">> {
  const { headers, from, text = "", html = "", attachments } = await PostalMime.parse(source);
  const isCalendar = ({ mimeType, disposition }: Attachment) =>
    mimeType === "text/calendar" && disposition !== "attachment";
  const calendar = attachments.find(isCalendar);
  return {
    headers: Object.fromEntries(headers.map(({ key, value }) => [key, value])),
    sender: from?.name ?? "",
    body: text.trimEnd(),
    html: html.trimEnd(),
    ...(calendar && {
      calendar: { type: `text/calendar; method=${calendar.method}`, text: textOf(calendar) },
    }),
    attachments: attachments
      .filter(({ disposition }) => disposition === "attachment")
      .map(({ mimeType }) => mimeType),
  };
}

const textOf = ({ content }: Attachment): string =>
  typeof content === "string" ? content : new TextDecoder().decode(content);
