import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";

export interface Mail {
  from: string;
  to: string[];
  /** Headers by their names in lower case, unfolded. */
  headers: Readonly<Record<string, string>>;
  /** As it was written: decoded. */
  body: string;
}

/** A mail server on this machine. */
export interface MailServer {
  /** `smtp://user:password@…`; no other login is taken. */
  url: string;
  /** What was taken, in that order. */
  mails: readonly Mail[];
  /** How often a mail was offered whole, taken or not. */
  readonly offered: number;
  /** How often somebody sent a name and a password. */
  readonly logins: number;
  /** Answers the next mails so, instead of taking them. `lost`: takes it, and the answer never arrives. */
  refuse(answer: number | "lost", times?: number): void;
  close(): Promise<void>;
}

const LOGIN = { user: "platform", password: "s3cret:@/" };

export async function startMailServer(): Promise<MailServer> {
  const mails: Mail[] = [];
  const refusals: (number | "lost")[] = [];
  let offered = 0;
  let logins = 0;
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    logger: false,
    onAuth: ({ username, password }, _session, done) => {
      logins += 1;
      const isKnown = username === LOGIN.user && password === LOGIN.password;
      done(isKnown ? null : new Error("wrong"), isKnown ? { user: username } : undefined);
    },
    onData: (stream, session, done) => {
      void text(stream).then((source) => {
        offered += 1;
        const refusal = refusals.shift();
        const { mailFrom, rcptTo } = session.envelope;
        const envelope = { from: mailFrom ? mailFrom.address : "", to: rcptTo.map(({ address }) => address) };
        if (refusal === undefined || refusal === "lost") mails.push({ ...envelope, ...read(source) });
        if (refusal === "lost") return breakOff(server);
        // Real servers repeat the address in what they say.
        const said = new Error(`not for ${envelope.to.join()}`);
        done(refusal === undefined ? null : Object.assign(said, { responseCode: refusal }));
      });
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
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Ends every connection where it is. */
function breakOff(server: SMTPServer): void {
  const { connections } = server as unknown as { connections: Set<{ _socket: { destroy(): void } }> };
  for (const { _socket } of connections) _socket.destroy();
}

function read(source: string): Pick<Mail, "headers" | "body"> {
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
