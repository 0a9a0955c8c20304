import type { EventStatus } from "../../../generated/operations/types.ts";
import { addressWith } from "../parts/address.ts";
import { EVENT_STATUSES } from "./event-status.ts";

export interface EventFilter {
  providerId?: string;
  status?: EventStatus;
  shiftId?: string;
  traceId?: string;
}

/** The filter in the query of an address, without unknown or empty members. */
export function filterOf(query: Readonly<Record<string, string>>): EventFilter {
  const { providerId, status, shiftId, traceId } = query;
  const filter = { providerId, status: isStatus(status) ? status : undefined, shiftId, traceId };
  const given = Object.entries(filter).map(([name, value]) => [name, value?.trim()]);
  return Object.fromEntries(given.filter(([, value]) => value));
}

/** The address of the events page with this filter. */
export const addressOf = (filter: EventFilter): string => addressWith("/console/events", filter);

function isStatus(text: string | undefined): text is EventStatus {
  return EVENT_STATUSES.some((status) => status === text);
}
