import type { Shift as ShiftBody, ShiftUpdate } from "../../generated/provider/types.ts";
import { schemas } from "../../generated/provider/validators.js";
import { readShift, type Shift } from "../contract/shift.ts";
import { readTimestamp } from "../contract/timestamp.ts";
import { type Exchange, isReply } from "./exchange.ts";
import type { Run } from "./run.ts";

export function readShiftOf(run: Run, shiftId: string): Promise<Exchange> {
  return run.send({ operation: "getShift", path: { shiftId } });
}

/** The body of an answer when it is a shift that the platform can read. */
export function shiftBodyOf(exchange: Exchange): ShiftBody | undefined {
  if (!isReply(exchange) || exchange.answer.status !== 200) return undefined;
  return schemas.Shift(exchange.answer.json) ? exchange.answer.json : undefined;
}

/** The shift of an answer in the one model of both variants; undefined when it cannot be used. */
export function shiftOf(exchange: Exchange): Shift | undefined {
  const body = shiftBodyOf(exchange);
  return body && readShift(body, "UTC").shift;
}

/** Why the shift of the fixtures cannot be changed. */
export const STARTED = "the shift has started: give one in the future";

export function hasStarted({ now }: Run, { startTime }: Pick<Shift, "startTime">): boolean {
  return Date.parse(startTime) <= now();
}

/** Whether the provider has the shift no more: 404, 410 and the status `cancelled` say so. */
export function isGone(exchange: Exchange): boolean {
  if (!isReply(exchange)) return false;
  const { status } = exchange.answer;
  return status === 404 || status === 410 || shiftBodyOf(exchange)?.status === "cancelled";
}

/** The update that changes nothing, or only what is given. Times are sent as the provider wrote them, if an update may hold them so. */
export function updateOf(body: ShiftBody, change: Partial<ShiftUpdate> = {}): ShiftUpdate {
  const positions = body.numberOfPositions ?? body.slots ?? 1;
  const { slots = positions } = change;
  const { startTime = sendable(body.startTime), endTime = sendable(body.endTime) } = change;
  return { startTime, endTime, slots, numberOfPositions: slots };
}

/** ISO 8601 has more ways to write a time than RFC 3339, which is what an update holds. */
const RFC_3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})$/i;

/** A time without an offset stays one, which is a fault of the provider's. */
function sendable(time: string): string {
  if (RFC_3339.test(time)) return time;
  const read = readTimestamp(time, "UTC");
  return read && !read.assumedZone ? read.instant : time;
}

/** A time in one way of writing, whatever way it was written in; a text that is no time as it is. */
export const momentOf = (time: string): string => readTimestamp(time, "UTC")?.instant ?? time;

/** The fields of an update in which two shifts differ. */
export function updateDiffers(one: ShiftBody, other: ShiftBody): ("startTime" | "endTime" | "slots")[] {
  const [was, now] = [updateOf(one), updateOf(other)];
  const times = (["startTime", "endTime"] as const).filter(
    (field) => momentOf(was[field]) !== momentOf(now[field]),
  );
  return was.slots === now.slots ? times : [...times, "slots"];
}

/** Candidate ids that the shift names as assigned. */
export function assignedIds(exchange: Exchange): string[] | undefined {
  return shiftOf(exchange)?.assigned.map(({ providerCandidateId }) => providerCandidateId);
}
