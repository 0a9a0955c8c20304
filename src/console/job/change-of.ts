import type { Job, JobChange } from "../../../generated/operations/types.ts";

/** What is typed; undefined where it is not a time or a number. */
export interface Typed {
  startTime: string | undefined;
  endTime: string | undefined;
  positions: number | undefined;
}

/** Only what differs, so that nothing is set back that somebody else changed meanwhile; undefined when it cannot be sent. */
export function changeOf(before: Pick<Job, keyof Typed>, typed: Typed): JobChange | undefined {
  const { startTime, endTime, positions } = typed;
  if (startTime === undefined || endTime === undefined || positions === undefined) return undefined;
  const change: JobChange = {
    ...(!isSame(startTime, before.startTime) && { startTime }),
    ...(!isSame(endTime, before.endTime) && { endTime }),
    ...(positions !== before.positions && { positions }),
  };
  return Object.keys(change).length === 0 ? undefined : change;
}

const isSame = (one: string, other: string) => Date.parse(one) === Date.parse(other);
