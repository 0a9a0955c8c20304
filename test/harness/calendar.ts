import ICAL from "ical.js";

/** An event of a calendar file, as another program reads it. */
export interface ReadEvent {
  uid: string;
  sequence: number;
  status: string;
  summary: string;
  location: string;
  description: string;
  start: string;
  end: string;
  stamp: string;
  organizer?: string;
  attendee?: string;
  attendeeName?: string;
  attendeeStatus?: string;
  rsvp?: string;
}

/** Reads a calendar file. */
export function readCalendar(text: string): { method: string; events: ReadEvent[] } {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const events = calendar.getAllSubcomponents("vevent").map((event): ReadEvent => {
    const value = (name: string) => String(event.getFirstPropertyValue(name) ?? "");
    const attendee = event.getFirstProperty("attendee");
    const parameter = (name: string) => attendee?.getFirstParameter(name);
    return {
      uid: value("uid"),
      sequence: Number(value("sequence")),
      status: value("status"),
      summary: value("summary"),
      location: value("location"),
      description: value("description"),
      start: value("dtstart"),
      end: value("dtend"),
      stamp: value("dtstamp"),
      ...(event.hasProperty("organizer") && { organizer: value("organizer") }),
      ...(attendee && {
        attendee: value("attendee"),
        attendeeName: parameter("cn") ?? "",
        attendeeStatus: parameter("partstat") ?? "",
        rsvp: parameter("rsvp") ?? "",
      }),
    };
  });
  return { method: String(calendar.getFirstPropertyValue("method")), events };
}
