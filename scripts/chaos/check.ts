import { openDatabase } from "../../src/platform/db/database.ts";
import type { Log } from "../../src/platform/db/engine.ts";
import { disagreements, lostRequests } from "./agreement.ts";
import { doubled, lostBookings, lostEvents } from "./doubled.ts";
import type { Load } from "./load.ts";
import type { AcceptedMail } from "./mail.ts";
import { doubledMail, lostMail } from "./mail-findings.ts";
import { belowMinimum, confirmedIn } from "./minimum.ts";
import { type Reading, readBoth } from "./reading.ts";

/** A violation. `too few`: so little happened that the run proves nothing. */
export interface Finding {
  kind: "lost" | "doubled" | "disagreeing" | "5xx" | "growing" | "too few";
  what: string;
}

export interface Checked {
  findings: Finding[];
  jobs: number;
  /** Bookings that were ever confirmed. */
  confirmed: number;
  /** The provider's own people on open shifts, as both sides have them. */
  ownPeople: number;
}

/** Compares what the platform acknowledged and stored with what the providers have. No other process may have the database open. */
export async function check(
  where: { url?: string; dataDir?: string },
  loads: readonly Load[],
  mails: readonly AcceptedMail[],
  log: Log,
): Promise<Checked> {
  const database = await openDatabase({ ...where, log });
  try {
    const all: Checked[] = [];
    for (const load of loads) all.push(evaluate(await readBoth(database.kysely, load, mails)));
    const sum = (of: (each: Checked) => number) => all.reduce((so, each) => so + of(each), 0);
    return {
      findings: all.flatMap(({ findings }) => findings),
      jobs: sum(({ jobs }) => jobs),
      confirmed: sum(({ confirmed }) => confirmed),
      ownPeople: sum(({ ownPeople }) => ownPeople),
    };
  } finally {
    await database.close();
  }
}

export function evaluate(reading: Reading): Checked {
  const report = (kind: Finding["kind"], whats: Iterable<string>) =>
    [...whats].map((what) => ({ kind, what }));
  const { jobs } = reading.stored;
  const open = jobs.filter(({ status }) => status !== "cancelled");
  return {
    findings: [
      ...report("lost", lostEvents(reading)),
      ...report("lost", lostBookings(reading)),
      ...report("lost", lostRequests(reading)),
      ...report("lost", lostMail(reading)),
      ...report("doubled", doubled(reading)),
      ...report("doubled", doubledMail(reading)),
      ...report("disagreeing", disagreements(reading)),
      ...report("too few", belowMinimum(reading)),
    ],
    jobs: jobs.length,
    confirmed: confirmedIn(reading.stored),
    ownPeople: open.reduce((so, { ownPeopleCount }) => so + ownPeopleCount, 0),
  };
}
