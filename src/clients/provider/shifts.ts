import type { Client } from "../../../generated/provider/client.ts";
import type { Shift as ShiftBody, ShiftUpdate } from "../../../generated/provider/types.ts";
import { isShift } from "../../../generated/provider/validators.js";
import { readShift, type Shift, type UnusableShift } from "../../contract/shift.ts";
import { type Answer, answerOf, type Failure, read, refused, unavailable } from "./answer.ts";
import { type Call, init, type ProviderParts } from "./parts.ts";

export type ShiftOutcome =
  /** `isShown` false: the response to an accepted change, which the shift does not show. */
  | { kind: "shift"; shift: Shift; isShown?: false }
  /** It fits the schema and still cannot be a job: an issue for the operator. */
  | { kind: "unusable"; unusable: UnusableShift }
  /** 404, or 410 (`final`). A read replica may lag behind a 404, and a gateway without a route answers it too. */
  | { kind: "absent"; final: boolean; code: string | undefined }
  | Failure;

export type Cancellation = { kind: "cancelled" } | Extract<ShiftOutcome, { kind: "absent" }> | Failure;

const isAbsent = ({ status }: Answer): boolean => status === 404 || status === 410;

const absent = (answer: Answer) =>
  ({ kind: "absent", final: answer.status === 410, code: refused(answer).code }) as const;

/** `startTime` and `endTime`: ISO 8601 with offset. `positions`: the total, 0 to 100. */
export interface ShiftChange {
  startTime: string;
  endTime: string;
  positions: number;
}

/** The tolerance of times: many systems keep whole minutes. */
const SAME_TIME_MS = 60_000;

const isSameTime = (one: string, other: string) =>
  Math.abs(Date.parse(one) - Date.parse(other)) < SAME_TIME_MS;

function shows({ warnings, ...shift }: Shift, asked: ShiftChange): boolean {
  const isSameNumber = shift.positions === asked.positions || warnings.includes("positions_missing");
  return (
    isSameNumber && isSameTime(shift.startTime, asked.startTime) && isSameTime(shift.endTime, asked.endTime)
  );
}

/** Reads, replaces and cancels shifts (contract 4.2). */
export function shiftCalls(client: Client, parts: ProviderParts) {
  const outcomeOf = (body: ShiftBody, shiftId: string): ShiftOutcome => {
    if (body.id.toLowerCase() !== shiftId.toLowerCase())
      return unavailable("wrong_shift", "the shift is not the one asked for");
    const { shift, unusable } = readShift(body, parts.timeZone);
    if (unusable) return { kind: "unusable", unusable };
    parts.onSeen({ variant: shift.variant });
    return { kind: "shift", shift };
  };

  async function getShift(shiftId: string, call: Call): Promise<ShiftOutcome> {
    const answer = await answerOf(client.getShift({ params: { path: { shiftId } }, ...init(call) }));
    if (answer.kind !== "answer") return answer;
    if (isAbsent(answer)) return absent(answer);
    if (!answer.ok) return refused(answer);
    const body = read("shift", answer, isShift);
    if ("kind" in body) return body;
    return outcomeOf(body.value, shiftId);
  }

  /** Returns the shift as the provider has it afterwards, read again when the response held none: a read replica may lag behind. */
  async function updateShift(shiftId: string, change: ShiftChange, call: Call): Promise<ShiftOutcome> {
    const { startTime, endTime, positions } = change;
    const body: ShiftUpdate = { startTime, endTime, slots: positions, numberOfPositions: positions };
    const answer = await answerOf(client.updateShift({ params: { path: { shiftId } }, body, ...init(call) }));
    if (answer.kind !== "answer") return answer;
    if (isAbsent(answer)) return absent(answer);
    if (!answer.ok) return refused(answer);
    if (isShift(answer.body)) return outcomeOf(answer.body, shiftId);
    const outcome = await getShift(shiftId, call);
    const isOther = outcome.kind === "shift" && !outcome.shift.cancelled && !shows(outcome.shift, change);
    return isOther ? { ...outcome, isShown: false } : outcome;
  }

  async function cancelShift(shiftId: string, call: Call): Promise<Cancellation> {
    const answer = await answerOf(client.cancelShift({ params: { path: { shiftId } }, ...init(call) }));
    if (answer.kind !== "answer") return answer;
    if (isAbsent(answer)) return absent(answer);
    return answer.ok ? { kind: "cancelled" } : refused(answer);
  }

  return { getShift, updateShift, cancelShift };
}
