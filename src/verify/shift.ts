import type { Shift as ShiftBody, ShiftUpdate } from "../../generated/provider/types.ts";
import { schemas } from "../../generated/provider/validators.js";
import { readShift, type Shift } from "../contract/shift.ts";
import { readTimestamp } from "../contract/timestamp.ts";
import { type Exchange, isReply } from "./exchange.ts";
import type { Run } from "./run.ts";

/** decisions, "number of positions". */
export const MOST_POSITIONS = 100;

export function readShiftOf(run: Run, shiftId: string): Promise<Exchange> {
  return run.send({ operation: "getShift", path: { shiftId } });
}

/** Returns the body of a response if the platform can read it as a shift. */
export function shiftBodyOf(exchange: Exchange): ShiftBody | undefined {
  if (!isReply(exchange) || exchange.answer.status !== 200) return undefined;
  return schemas.Shift(exchange.answer.json) ? exchange.answer.json : undefined;
}

/** Returns the shift of a response in the shared model of both variants, or undefined. */
export function shiftOf(exchange: Exchange): Shift | undefined {
  const body = shiftBodyOf(exchange);
  return body && readShift(body, "UTC").shift;
}

export const NO_SHIFT = "no shift: provide --fixtures with a shiftId, or --states-url";
export const STARTED = "the shift has started: provide one in the future";

export function hasStarted({ now }: Run, { startTime }: Pick<Shift, "startTime">): boolean {
  return Date.parse(startTime) <= now();
}

/** Whether the shift is deleted: 404, 410 or the status `cancelled`. */
export function isGone(exchange: Exchange): boolean {
  if (!isReply(exchange)) return false;
  const { status } = exchange.answer;
  return status === 404 || status === 410 || shiftBodyOf(exchange)?.status === "cancelled";
}

/** Returns an update that changes only the given fields. Times keep the provider's format if an update allows it. */
export function updateOf(body: ShiftBody, change: Partial<ShiftUpdate> = {}): ShiftUpdate {
  const positions = body.numberOfPositions ?? body.slots ?? 1;
  const { slots = positions } = change;
  const { startTime = sendable(body.startTime), endTime = sendable(body.endTime) } = change;
  return { startTime, endTime, slots, numberOfPositions: slots };
}

/** The format of times in an update. ISO 8601 has more formats. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** Returns a time that an update allows. A time without an offset is unchanged. */
function sendable(time: string): string {
  if (RFC_3339.test(time)) return time;
  const read = readTimestamp(time, "UTC");
  return read && !read.assumedZone ? read.instant : time;
}

/** Returns a normalised time; a text that is not a time is unchanged. */
export const momentOf = (time: string): string => readTimestamp(time, "UTC")?.instant ?? time;

export function updateDiffers(one: ShiftBody, other: ShiftBody): ("startTime" | "endTime" | "slots")[] {
  const [was, now] = [updateOf(one), updateOf(other)];
  const times = (["startTime", "endTime"] as const).filter(
    (field) => momentOf(was[field]) !== momentOf(now[field]),
  );
  return was.slots === now.slots ? times : [...times, "slots"];
}

export function assignedIds(exchange: Exchange): string[] | undefined {
  return shiftOf(exchange)?.assigned.map(({ providerCandidateId }) => providerCandidateId);
}
