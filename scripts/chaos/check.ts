import { openDatabase } from "../../src/platform/db/database.ts";
import type { Log } from "../../src/platform/db/engine.ts";
import { disagreements, withdrawalsAndCancels } from "./agreement.ts";
import type { Crowd } from "./crowd.ts";
import { doubled } from "./doubled.ts";
import { lostBookings, lostEvents } from "./lost.ts";
import { type Reading, readBoth } from "./reading.ts";
import { confirmedIn, tooFew } from "./too-few.ts";

/** What must not happen; `too few`: so little happened that it proves nothing. */
export interface Finding {
  kind: "lost" | "doubled" | "disagreeing" | "5xx" | "growing" | "too few";
  what: string;
}

export interface Checked {
  findings: Finding[];
  jobs: number;
  /** Bookings that were confirmed, whatever came later. */
  confirmed: number;
  /** What is not as it was asked for, or not as the provider has it, and an open issue tells a person so. */
  excused: number;
}

/** Compares what the platform acknowledged and stored with what the providers have. Nobody else may have the database open. */
export async function check(
  where: { url?: string; dataDir?: string },
  crowds: readonly Crowd[],
  log: Log,
): Promise<Checked> {
  const database = await openDatabase({ ...where, log });
  try {
    const all: Checked[] = [];
    for (const crowd of crowds) all.push(judge(await readBoth(database.kysely, crowd)));
    const sum = (of: (each: Checked) => number) => all.reduce((so, each) => so + of(each), 0);
    return {
      findings: all.flatMap(({ findings }) => findings),
      jobs: sum(({ jobs }) => jobs),
      confirmed: sum(({ confirmed }) => confirmed),
      excused: sum(({ excused }) => excused),
    };
  } finally {
    await database.close();
  }
}

/** Of the provider's shifts. */
const MOST_EXCUSED = 0.02;

export function judge(reading: Reading): Checked {
  const tell = (kind: Finding["kind"], whats: Iterable<string>) => [...whats].map((what) => ({ kind, what }));
  const [wishes, sides] = [withdrawalsAndCancels(reading), disagreements(reading)];
  const { jobs } = reading.stored;
  const excused = wishes.excused + sides.excused;
  const most = Math.max(1, Math.floor(reading.shifts.length * MOST_EXCUSED));
  return {
    findings: [
      ...tell("lost", lostEvents(reading)),
      ...tell("lost", lostBookings(reading)),
      ...tell("lost", wishes.faults),
      ...tell("doubled", doubled(reading)),
      ...tell("disagreeing", sides.faults),
      ...tell(
        "disagreeing",
        excused > most ? [`${excused} are excused by an open issue, of at most ${most}`] : [],
      ),
      ...tell("too few", tooFew(reading)),
    ],
    ...{ jobs: jobs.length, confirmed: confirmedIn(reading.stored), excused },
  };
}
