import { computed, signal } from "@preact/signals";

/** Whose time the console shows: that of each organisation, or the viewer's. */
export type ZoneChoice = "organisation" | "viewer";

const KEY = "shiftpact-zone";

/** The zone of the reader's machine. */
export const readersZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Absent outside a browser, where tests run. */
const storage = globalThis.localStorage as Storage | undefined;

export const zoneChoice = signal<ZoneChoice>(storage?.getItem(KEY) === "viewer" ? "viewer" : "organisation");

/** The zones of the organisations, as they are read. */
export const knownZones = signal<readonly string[]>([]);
const commonZone = computed(() => (knownZones.value.length === 1 ? knownZones.value[0] : undefined));

export function chooseZone(choice: ZoneChoice): void {
  storage?.setItem(KEY, choice);
  zoneChoice.value = choice;
}

/** The zone in which a time is shown. What is of no organisation is in the zone that all of them have, otherwise in the viewer's. */
export function shownZone(zone?: string): string {
  if (zoneChoice.value === "viewer") return readersZone();
  return zone ?? commonZone.value ?? readersZone();
}
