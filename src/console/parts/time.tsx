import { formatSpan, formatTime } from "./times.ts";

interface Props {
  /** ISO 8601. */
  at: string;
  /** IANA zone; the reader's own unless given. */
  zone?: string;
  /** With milliseconds, for steps close to each other. */
  exact?: boolean;
}

/** A point in time; its title names the zone. */
export function Time({ at, zone, exact = false }: Props) {
  return (
    <time dateTime={at} title={`${at}${zone === undefined ? "" : `, shown in ${zone}`}`}>
      {formatTime(at, { exact, ...(zone !== undefined && { zone }) })}
    </time>
  );
}

/** From when to when, in the zone of the workplace. */
export function Span({ from, to, zone }: { from: string; to: string; zone?: string }) {
  return (
    <time dateTime={from} title={`${from} to ${to}${zone === undefined ? "" : `, shown in ${zone}`}`}>
      {formatSpan(from, to, zone)}
    </time>
  );
}
