import type { EventStatus } from "../../../generated/operations/types.ts";
import { STATUS_WORDS } from "./event-words.ts";

export interface EventFilter {
  providerId?: string;
  status?: EventStatus;
  shiftId?: string;
  traceId?: string;
}

/** What of an address's query filters the events; anything else in it is left out. */
export function filterOf(query: Readonly<Record<string, string>>): EventFilter {
  const { providerId, status, shiftId, traceId } = query;
  const filter = { providerId, status: isStatus(status) ? status : undefined, shiftId, traceId };
  const given = Object.entries(filter).map(([name, value]) => [name, value?.trim()]);
  return Object.fromEntries(given.filter(([, value]) => value));
}

/** Where the events are shown with this filter. */
export function addressOf(filter: EventFilter): string {
  const query = new URLSearchParams({ ...filter }).toString();
  return query === "" ? "/console/events" : `/console/events?${query}`;
}

function isStatus(text: string | undefined): text is EventStatus {
  return text !== undefined && Object.hasOwn(STATUS_WORDS, text);
}
