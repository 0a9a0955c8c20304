export interface Range {
  name: string;
  minutes: number;
}

const HOUR: Range = { name: "Last hour", minutes: 60 };

export const RANGES: readonly Range[] = [
  HOUR,
  { name: "Last 24 hours", minutes: 1_440 },
  { name: "Last 7 days", minutes: 10_080 },
];

/** As an address names it; the last hour for anything else. */
export function rangeOf({ minutes }: Readonly<Record<string, string>>): Range {
  return RANGES.find((range) => String(range.minutes) === minutes) ?? HOUR;
}
