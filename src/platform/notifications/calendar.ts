import ical, {
  ICalAttendeeRole,
  ICalAttendeeStatus,
  ICalCalendarMethod,
  type ICalEventData,
  ICalEventStatus,
} from "ical-generator";
import { shownLine } from "../../contract/storable-text.ts";
import { toMinute } from "../../contract/timestamp.ts";
import type { CalendarChange, CalendarEntry } from "../deps.ts";

/** Times are written in UTC, so that no reader needs a definition of the time zone. */
const eventOf = (entry: CalendarEntry, at: Date, status: ICalEventStatus): ICalEventData => ({
  id: entry.uid,
  sequence: entry.sequence,
  stamp: at,
  start: toMinute(entry.startTime),
  end: toMinute(entry.endTime),
  summary: entry.summary,
  location: entry.location,
  description: entry.description,
  status,
});

/** Readers differ in what a backslash in a parameter means. */
const parameterOf = (name: string) => name.replaceAll(/[\\\p{Cc}]/gu, " ");

/** The library writes the name of a calendar as it is. */
const nameOf = (name: string) => shownLine(name).replaceAll(/[\\;,]/g, (sign) => `\\${sign}`);

const PRODUCT = { company: "shiftpact", product: "platform" };

/** A calendar to subscribe to. Entries that may still change are tentative. */
export function calendarFeed(
  name: string,
  entries: readonly (CalendarEntry & { isTentative: boolean })[],
  at: Date,
): string {
  const calendar = ical({ prodId: PRODUCT, method: ICalCalendarMethod.PUBLISH, name: nameOf(name) });
  for (const { isTentative, ...entry } of entries)
    calendar.createEvent(
      eventOf(entry, at, isTentative ? ICalEventStatus.TENTATIVE : ICalEventStatus.CONFIRMED),
    );
  return calendar.toString();
}

/** The calendar part of a mail (RFC 6047): the recipient has accepted already, and is not asked to answer. */
export function calendarInvitation(
  change: CalendarChange,
  { from, address }: { from: string; address: string },
) {
  const isCancelled = change.method === "CANCEL";
  const status = isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED;
  const calendar = ical({ prodId: PRODUCT, method: ICalCalendarMethod[change.method] });
  calendar.createEvent({
    ...eventOf(change, change.at, status),
    organizer: { name: parameterOf(change.organiser), email: from },
    attendees: [
      {
        name: parameterOf(change.attendee),
        email: address,
        role: ICalAttendeeRole.REQ,
        status: ICalAttendeeStatus.ACCEPTED,
        rsvp: false,
      },
    ],
  });
  return { method: change.method, filename: "shift.ics", content: calendar.toString() };
}
