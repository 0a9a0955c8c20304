import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as Drawing,
  Legend,
  LinearScale,
  Tooltip,
} from "chart.js";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { StaffingFigures, Statistics, WeekFigures } from "../../../generated/operations/types.ts";
import { agreeing } from "../../contract/operator-text.ts";
import { MINUTE_MS } from "../../contract/timestamp.ts";
import { formatCount, formatDuration, shortDay } from "../components/time.tsx";

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

Drawing.register(BarController, BarElement, CategoryScale, Legend, LinearScale, Tooltip);

interface Props {
  chart: Chart;
  weeks: readonly WeekFigures[];
}

/** A chart with its summary; the page has the values as a table. */
export function ChartSection({ chart, weeks }: Props) {
  const heading = useId();
  const canvas = useRef<HTMLCanvasElement>(null);
  const isDark = useDarkScheme();
  // Also when the scheme changes, to read the colours again.
  useEffect(() => {
    if (!canvas.current) return;
    const drawing = draw(canvas.current, { chart, weeks });
    return () => drawing.destroy();
  }, [chart, weeks, isDark]);
  return (
    <section class="panel" aria-labelledby={heading}>
      <h2 id={heading}>{chart.title}</h2>
      <p>{chart.summary}</p>
      <div class="chart">
        <canvas ref={canvas} role="img" aria-label={`${chart.title}: ${chart.summary}`} />
      </div>
    </section>
  );
}

function draw(canvas: HTMLCanvasElement, { chart, weeks }: Props): Drawing {
  const { series, format, max } = chart;
  const [text, line] = [colour(canvas, "text-soft"), colour(canvas, "line")];
  return new Drawing(canvas, {
    type: "bar",
    data: {
      labels: weeks.map(({ week }) => shortDay(week)),
      datasets: series.map(({ name, tone, read }) => ({
        label: name,
        data: weeks.map(read),
        backgroundColor: colour(canvas, tone),
      })),
    },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "index", intersect: false },
      scales: {
        x: { ticks: { color: text }, grid: { display: false } },
        y: {
          ...(max !== undefined && { max }),
          beginAtZero: true,
          ticks: { color: text, maxTicksLimit: 5, callback: (value) => format(Number(value)) },
          grid: { color: line },
        },
      },
      plugins: {
        legend: { display: series.length > 1, labels: { color: text } },
        tooltip: {
          callbacks: { label: ({ dataset, parsed: { y } }) => `${dataset.label}: ${format(y ?? 0)}` },
        },
      },
    },
  });
}

/** The value of a colour of tokens.css, which only a property of an element has. */
function colour(element: HTMLElement, name: string): string {
  element.style.color = `var(--${name})`;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}

function useDarkScheme(): boolean {
  const [scheme] = useState(() => matchMedia("(prefers-color-scheme: dark)"));
  const [isDark, setIsDark] = useState(scheme.matches);
  useEffect(() => {
    const follow = () => setIsDark(scheme.matches);
    scheme.addEventListener("change", follow);
    return () => scheme.removeEventListener("change", follow);
  }, [scheme]);
  return isDark;
}
