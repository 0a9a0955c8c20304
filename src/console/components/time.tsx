import { formatSpan, formatTime } from "./times.ts";
import { shownZone } from "./zone.ts";

interface ZoneProps {
  /** IANA zone of the organisation. */
  zone?: string | undefined;
}

interface TimeProps extends ZoneProps {
  /** ISO 8601. */
  at: string;
  /** With milliseconds, for steps close to each other. */
  exact?: boolean;
}

/** A point in time; its title names the zone. */
export function Time({ at, zone, exact = false }: TimeProps) {
  return (
    <time dateTime={at} data-whole={at} title={`${at}${inZone(zone)}`}>
      {formatTime(at, { exact, zone })}
    </time>
  );
}

/** The start and the end, in the zone of the workplace. */
export function Span({ from, to, zone }: ZoneProps & { from: string; to: string }) {
  return (
    <time dateTime={from} data-whole={`${from} to ${to}`} title={`${from} to ${to}${inZone(zone)}`}>
      {formatSpan(from, to, zone)}
    </time>
  );
}

const inZone = (zone: string | undefined) => `, shown in ${shownZone(zone)}`;
