import type { Message } from "../../generated/events/types.ts";

export type ShiftEventName = Message["event"];

/** What each event says of its shift. One that is added to the documents does not compile until it stands here. */
const SAYS = {
  "shift.create": "new",
  "shift.update": "changed",
  "shift.delete": "gone",
} as const satisfies Record<ShiftEventName, "new" | "changed" | "gone">;

/** The events after which the shift is there. */
export const EVENTS_OF_PRESENCE = (Object.keys(SAYS) as ShiftEventName[]).filter(
  (event) => SAYS[event] !== "gone",
);

/** Whether it is one of the contract's events (contract 4.3). Any other is stored and ignored. */
export const isShiftEvent = (event: string): event is ShiftEventName => Object.hasOwn(SAYS, event);

export const saysChanged = (event: string): boolean => isShiftEvent(event) && SAYS[event] === "changed";

export const saysGone = (event: string): boolean => isShiftEvent(event) && SAYS[event] === "gone";
