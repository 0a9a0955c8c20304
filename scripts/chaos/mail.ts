import { setTimeout as sleep } from "node:timers/promises";
import { type Mail, type MailServer, type Outage, startMailServer } from "../../test/harness/mail-server.ts";
import type { Random } from "../../test/harness/random.ts";

/** A mail that the server accepted. */
export interface AcceptedMail {
  /** From its Message-ID, without the domain. */
  id: string;
  to: string;
  /** Its connection was cut before the next command: the response may be lost. */
  isCut: boolean;
  /** The number of starts and ends of faults until then. */
  marks: number;
}

/** The platform's mail server, with random outages. */
export interface FaultyMailServer {
  url: string;
  accepted: AcceptedMail[];
  /** The number of outages, by kind. */
  outages: Map<string, number>;
  /** Fails at random moments until the signal aborts; then it has recovered. */
  failAtRandom(random: Random, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const OUTAGES: readonly [name: string, outage: Outage][] = [
  ["connections refused", "away"],
  ["no greeting", "silent"],
  ["connections cut in DATA", "cut"],
  ["421 at the connection", { at: "connection", reply: 421 }],
  ["535 at the login", { at: "login", reply: 535 }],
  ["451 at MAIL FROM", { at: "sender", reply: 451 }],
  ["450 at RCPT TO", { at: "recipient", reply: 450 }],
  ["421 at DATA", { at: "data", reply: 421 }],
  ["451 at DATA", { at: "data", reply: 451 }],
];
/** The most responses that are lost in one outage. */
const LOST_ANSWERS = 3;

/** @param marks returns the number of starts and ends of faults so far. */
export async function startFaultyMailServer(marks: () => number): Promise<FaultyMailServer> {
  const accepted: AcceptedMail[] = [];
  const outages = new Map<string, number>();
  const server = await startMailServer({
    onMail: (mail) => {
      const id = idOf(mail);
      accepted.push({ id, to: mail.to.join(), isCut: false, marks: marks() });
    },
    onCut: (mails) => {
      for (const mail of mails) {
        const lost = accepted.findLast(({ id }) => id === idOf(mail));
        if (lost) lost.isCut = true;
      }
    },
  });
  return {
    url: server.url,
    accepted,
    outages,
    failAtRandom: async (random, signal) => {
      while (!signal.aborted) {
        await pause(random.between(200, 1_500), signal);
        if (!signal.aborted) await failOnce(server, outages, random, signal);
      }
    },
    close: server.close,
  };
}

const idOf = ({ headers }: Mail) => /^<([^@>]*)@/.exec(headers["message-id"] ?? "")?.[1] ?? "";

async function failOnce(
  server: MailServer,
  outages: FaultyMailServer["outages"],
  random: Random,
  signal: AbortSignal,
): Promise<void> {
  const [name, outage] = random.pick<readonly [string, Outage | "lost"]>([
    ...OUTAGES,
    ["answers lost", "lost"],
  ]);
  outages.set(name, (outages.get(name) ?? 0) + 1);
  if (outage === "lost") return server.refuse("lost", random.between(1, LOST_ANSWERS + 1));
  server.fail(outage);
  await pause(random.between(200, 2_000), signal);
  await server.recover();
}

const pause = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);
