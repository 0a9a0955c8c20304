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
import type { WeekFigures } from "../../../generated/operations/types.ts";
import { shortDay } from "../components/times.ts";
import type { Chart } from "./charts.ts";

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
