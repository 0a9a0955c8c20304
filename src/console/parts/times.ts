interface TimeOptions {
  /** IANA zone; the reader's own unless given. */
  zone?: string;
  exact?: boolean;
}

const DAY = { weekday: "short", day: "numeric", month: "short" } as const;
const CLOCK = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const EXACT = { ...CLOCK, second: "2-digit", fractionalSecondDigits: 3 } as const;

/** `Sun 22 Nov 06:00`. A zone that the browser does not know is the reader's own. */
export function formatTime(at: string, { zone, exact = false }: TimeOptions = {}): string {
  const date = new Date(at);
  return `${format(date, DAY, zone)} ${format(date, exact ? EXACT : CLOCK, zone)}`;
}

/** `Sun 22 Nov 06:00 – 14:00`; with the day again when it is another one. */
export function formatSpan(from: string, to: string, zone?: string): string {
  const [start, end] = [new Date(from), new Date(to)];
  const isOneDay = format(start, DAY, zone) === format(end, DAY, zone);
  return `${formatTime(from, zone === undefined ? {} : { zone })} – ${isOneDay ? "" : `${format(end, DAY, zone)} `}${format(end, CLOCK, zone)}`;
}

/** `12 ms`, `1.4 s`, `3 min`, `2 h`, `5 days`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return "under 1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.round(ms / 60_000)} min`;
  if (ms < 86_400_000) return `${Math.round(ms / 3_600_000)} h`;
  return `${Math.round(ms / 86_400_000)} days`;
}

function format(date: Date, options: Intl.DateTimeFormatOptions, timeZone?: string): string {
  try {
    return new Intl.DateTimeFormat("en-GB", { ...options, ...(timeZone && { timeZone }) }).format(date);
  } catch {
    return new Intl.DateTimeFormat("en-GB", options).format(date);
  }
}
