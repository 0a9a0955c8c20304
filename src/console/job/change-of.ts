import type { Job, JobChange } from "../../../generated/operations/types.ts";

/** The input; undefined where it is not a time or a number. */
export interface Typed {
  startTime: string | undefined;
  endTime: string | undefined;
  positions: number | undefined;
}

/** The changed members only, so that no concurrent change is reverted; undefined when there is nothing valid to send. */
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
