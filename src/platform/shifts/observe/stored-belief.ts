import { type Belief, NO_BELIEF } from "../plan/believe.ts";

// A belief as its column has it: what differs from no belief, with times in milliseconds before it was written. So they follow the database's clock, and
// setting the clock of this machine cannot make a reading look old.

export type StoredBelief = Partial<Omit<Belief, "missingSince">>;

export function toStored({ missingSince: _, ...belief }: Belief, now: number): StoredBelief {
  const stored = shifted(belief, (time) => now - time);
  const isUsual = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) === JSON.stringify(NO_BELIEF[name as keyof Belief]);
  return Object.fromEntries(Object.entries(stored).filter((entry) => !isUsual(entry)));
}

export const fromStored = (stored: StoredBelief, writtenAt: number): Omit<Belief, "missingSince"> =>
  shifted({ ...NO_BELIEF, ...stored }, (age) => writtenAt - age);

type Times = Omit<Belief, "missingSince">;

function shifted(belief: Times, at: (time: number) => number): Times {
  const orNull = (time: number | null) => (time === null ? null : at(time));
  return {
    ...belief,
    since: at(belief.since),
    notices: belief.notices.map(at),
    calledAt: orNull(belief.calledAt),
    doubtedAt: orNull(belief.doubtedAt),
    basis: orNull(belief.basis),
    own: belief.own && { ...belief.own, at: at(belief.own.at) },
    earlier: belief.earlier.map(({ believedAt, olderSince, ...each }) => ({
      ...each,
      believedAt: at(believedAt),
      ...(olderSince !== undefined && { olderSince: at(olderSince) }),
    })),
  };
}
