import { camelCase } from "../db/names.ts";
import { type Belief, NO_BELIEF } from "./plan/believe.ts";

// A plan holds the values of rows under the same names, times as milliseconds since 1970: `startTime`, `updatedAt`, `missingSince`.

const isTime = (name: string): boolean => /(?:Time|At|Since)$/.test(name);

/** Returns the plain values of a row in the form of `to_jsonb`. */
export function fromRow<State>(row: Record<string, unknown>): State {
  const entries = Object.entries(row).map(([column, value]) => {
    const name = camelCase(column);
    return [name, isTime(name) && typeof value === "string" ? Date.parse(value) : value];
  });
  return Object.fromEntries(entries) as State;
}

/** Returns the columns of a patch. Milliseconds become times; lists and objects become JSON. */
export function toRow<Columns>(patch: object): Columns {
  const entries = Object.entries(patch).map(([name, value]) => [
    name,
    isTime(name) && typeof value === "number" ? new Date(value) : asText(value),
  ]);
  return Object.fromEntries(entries) as Columns;
}

const asText = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : value;

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
