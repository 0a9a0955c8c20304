import type { StaffingFigures, Statistics } from "../../../generated/operations/types.ts";
import { agreeing } from "../../contract/operator-text.ts";
import { MINUTE_MS } from "../../contract/timestamp.ts";
import { formatCount, formatDuration } from "../components/times.ts";

interface Series {
  name: string;
  tone: "accent" | "line-strong" | "bad-text";
  /** Null where a week has no value, which is not zero. */
  read(figures: StaffingFigures): number | null;
}

/** Columns by week. */
export interface Chart {
  title: string;
  /** One sentence about the whole period, which is also the chart's text for screen readers. */
  summary: string;
  series: readonly Series[];
  /** A value with its unit. */
  format(value: number): string;
  /** The end of the scale; that of the highest column unless given. */
  max?: number;
}

const manyText = (count: number, one: string): string =>
  `${formatCount(count)} ${agreeing(count, one, `${one}s`)}`;

export const chartsOf = ({ total }: Statistics): Chart[] => [
  {
    title: "Fill rate",
    summary: `${formatCount(total.filled)} of ${formatCount(total.positions)} positions filled: ${fillText(total)}.`,
    series: [{ name: "Filled", tone: "accent", read: fillRate }],
    format: percentText,
    max: 1,
  },
  {
    title: "Time to fill",
    summary: `From a new shift to the acceptance of a booking, the median: ${timeText(total)}.`,
    series: [
      {
        name: "Median",
        tone: "accent",
        read: ({ timeToFillMinutes = null }) => timeToFillMinutes,
      },
    ],
    format: minutesText,
  },
  {
    title: "Cancellations and late changes",
    summary: `${manyText(total.cancelled, "shift")} cancelled, ${manyText(total.withdrawn, "booking")} withdrawn. ${formatCount(total.late)} of these and other changes came less than 24 hours before the start.`,
    series: [
      { name: "Cancelled", tone: "accent", read: ({ cancelled }) => cancelled },
      { name: "Withdrawn", tone: "line-strong", read: ({ withdrawn }) => withdrawn },
      { name: "Late", tone: "bad-text", read: ({ late }) => late },
    ],
    format: formatCount,
  },
];

/** Whether no shift starts in the period. */
export const isEmpty = ({ total }: Statistics): boolean => total.positions + total.cancelled === 0;

/** `88 %`, and `none` without positions. */
export const fillText = (figures: StaffingFigures): string => {
  const rate = fillRate(figures);
  return rate === null ? "none" : percentText(rate);
};

/** `95 min`, and `none` without a booking. */
export const timeText = ({ timeToFillMinutes }: StaffingFigures): string =>
  timeToFillMinutes === undefined ? "none" : minutesText(timeToFillMinutes);

const minutesText = (minutes: number): string =>
  minutes < 1 ? "0 min" : formatDuration(minutes * MINUTE_MS);

const fillRate = ({ positions, filled }: StaffingFigures): number | null =>
  positions === 0 ? null : filled / positions;

/** Never 100 % while a position is open. */
const percentText = (share: number): string => `${Math.floor(share * 100)} %`;
