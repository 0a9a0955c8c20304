import type { Message } from "../../generated/events/types.ts";

export type ShiftEventName = Message["event"];

/** What each event reports about its shift. A new event of the documents does not compile until it is listed here. */
const CHANGES = {
  "shift.create": "new",
  "shift.update": "changed",
  "shift.delete": "gone",
} as const satisfies Record<ShiftEventName, "new" | "changed" | "gone">;

/** The events after which the shift is there. */
export const EVENTS_OF_PRESENCE = (Object.keys(CHANGES) as ShiftEventName[]).filter(
  (event) => CHANGES[event] !== "gone",
);

/** Whether it is one of the contract's events (contract 4.3). Any other is stored and ignored. */
export const isShiftEvent = (event: string): event is ShiftEventName => Object.hasOwn(CHANGES, event);

export const reportsDeletion = (event: string): boolean => isShiftEvent(event) && CHANGES[event] === "gone";
