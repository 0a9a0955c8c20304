import { useId, useState } from "preact/hooks";
import type { Statistics, StatisticsStep } from "../../../generated/operations/types.ts";
import { type Column, Table } from "../components/table.tsx";
import { formatTime } from "../components/times.ts";
import { type Chart, nameOfStep, partsOf, stepText, topOf, valueText } from "./chart.ts";

interface Props {
  chart: Chart;
  statistics: Statistics;
}

interface PlaceProps extends Props {
  /** Of the selected step; undefined without one. */
  place: number | undefined;
}

/** A chart with its summary, the values of the selected step, and all values as a table. */
export function ChartSection({ chart, statistics }: Props) {
  const heading = useId();
  const [place, setPlace] = useState<number>();
  return (
    <section class="panel" aria-labelledby={heading}>
      <h2 id={heading}>{chart.title}</h2>
      <p>{chart.summary}</p>
      <Legend {...{ chart, statistics, place }} />
      <div class="chart">
        <Columns {...{ chart, statistics, place }} />
        <StepSlider {...{ chart, statistics, place }} onSelect={setPlace} />
      </div>
      <TimeAxis {...statistics} />
      <ChartTable {...{ chart, statistics }} />
    </section>
  );
}

/** The mark of each series, with its value at the selected step. */
function Legend({ chart, statistics: { steps, stepMinutes }, place }: PlaceProps) {
  const step = place === undefined ? undefined : steps[place];
  return (
    <div class="row chart-legend">
      {chart.series.map((series) => (
        <span key={series.name} class="chart-mark" data-tone={series.tone}>
          {series.name}
          {step && <strong>{valueText(series, step, chart)}</strong>}
        </span>
      ))}
      <span class="soft push">
        {step ? nameOfStep(step, stepMinutes) : "Point at the chart for the values of a step"}
      </span>
    </div>
  );
}

/** A column for each step. Its height is the share of the value at the top. */
function Columns({ chart, statistics: { steps }, place }: PlaceProps) {
  const top = topOf(chart, steps);
  const { title, summary, limit, format } = chart;
  return (
    <div class="chart-plot" role="img" aria-label={`${title}: ${summary}`}>
      <span class="chart-top">{format(top)}</span>
      {limit && limit.value <= top && (
        <span class="chart-limit" style={{ insetBlockEnd: `${(100 * limit.value) / top}%` }}>
          {limit.name}
        </span>
      )}
      {steps.map((step, index) => (
        <span key={step.at} class="chart-column" data-selected={index === place}>
          {partsOf(chart, step).map((part, series) => (
            <span
              key={chart.series[series]?.name}
              data-tone={chart.series[series]?.tone}
              data-empty={part === 0}
              style={{ blockSize: `${(100 * part) / top}%` }}
            />
          ))}
        </span>
      ))}
    </div>
  );
}

/** Lies over the chart, transparent: selects a step with the mouse, the finger, or the arrow keys. */
function StepSlider({
  chart,
  statistics: { steps, stepMinutes },
  place,
  onSelect,
}: PlaceProps & { onSelect(place: number | undefined): void }) {
  const last = steps.length - 1;
  const current = Math.min(place ?? last, last);
  const step = steps[current];
  const point = (event: PointerEvent) => {
    const { left, width } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    const pointed = Math.floor(((event.clientX - left) / width) * steps.length);
    onSelect(Math.min(last, Math.max(0, pointed)));
  };
  return (
    <input
      class="chart-slider"
      type="range"
      min={0}
      max={last}
      value={current}
      aria-label={`${chart.title}, step by step`}
      aria-valuetext={step && stepText(step, stepMinutes, chart)}
      onFocus={() => onSelect(current)}
      onBlur={() => onSelect(undefined)}
      onInput={(event) => onSelect(Number(event.currentTarget.value))}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={(event) => {
        if (document.activeElement !== event.currentTarget) onSelect(undefined);
      }}
    />
  );
}

/** The time of the first, the middle, and the last step. */
function TimeAxis({ steps }: Statistics) {
  const shown = [steps[0], steps[Math.floor(steps.length / 2)], steps.at(-1)];
  return (
    <div class="row chart-times">
      {shown.map((step) => step && <time key={step.at}>{formatTime(step.at)}</time>)}
    </div>
  );
}

/** The same values, newest first. They are rendered only while the table is open. */
function ChartTable({ chart, statistics: { steps, stepMinutes } }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const columns: Column<StatisticsStep>[] = [
    { name: "Step", cell: (step) => nameOfStep(step, stepMinutes) },
    ...chart.series.map((series) => ({
      name: series.name,
      isNumber: true,
      cell: (step: StatisticsStep) => valueText(series, step, chart),
    })),
  ];
  return (
    <details onToggle={(event) => setIsOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>Show as table</summary>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls a table that is longer than its box.
        <section class="scroll chart-values" aria-label={`${chart.title}: values`} tabIndex={0}>
          <Table
            caption={`${chart.title}, newest first`}
            columns={columns}
            rows={steps.toReversed()}
            keyOf={({ at }) => at}
          />
        </section>
      )}
    </details>
  );
}
