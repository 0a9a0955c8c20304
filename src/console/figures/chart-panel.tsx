import { useId, useState } from "preact/hooks";
import type { Statistics } from "../../../generated/operations/types.ts";
import { Axes } from "./axes.tsx";
import { Bars } from "./bars.tsx";
import type { Chart } from "./chart.ts";
import { ChartTable } from "./chart-table.tsx";
import { geometryOf } from "./geometry.ts";
import { Legend } from "./legend.tsx";
import { Lines } from "./lines.tsx";
import { Pointer } from "./pointer.tsx";
import { useWidth } from "./use-width.ts";

interface Props {
  chart: Chart;
  statistics: Statistics;
}

/** A chart, what it says in a sentence, the values of the step that is pointed at, and all of them as a table. */
export function ChartPanel({ chart, statistics }: Props) {
  const { steps, stepMinutes } = statistics;
  const heading = useId();
  const [place, setPlace] = useState<number>();
  const shown = place === undefined ? undefined : steps[place];
  return (
    <section class="panel" aria-labelledby={heading}>
      <h2 id={heading}>{chart.title}</h2>
      <p>{chart.summary}</p>
      <Legend chart={chart} step={shown} stepMinutes={stepMinutes} />
      <Plot chart={chart} statistics={statistics} place={shown && place} onPoint={setPlace} />
      <ChartTable chart={chart} steps={steps} stepMinutes={stepMinutes} />
    </section>
  );
}

interface PlotProps extends Props {
  /** Of the step that is pointed at. */
  place: number | undefined;
  onPoint(place: number | undefined): void;
}

function Plot({ chart, statistics, place, onPoint }: PlotProps) {
  const { steps, stepMinutes } = statistics;
  const [box, boxWidth] = useWidth();
  const geometry = geometryOf(chart, statistics, boxWidth);
  const { width, height, left, top, bottom, slot } = geometry;
  const Series = chart.kind === "bars" ? Bars : Lines;
  return (
    <div class="chart" ref={box}>
      <svg role="img" aria-label={`${chart.title}: ${chart.summary}`} width={width} height={height}>
        {place !== undefined && (
          <rect class="chart-pointed" x={left + place * slot} y={top} width={slot} height={bottom - top} />
        )}
        <Axes geometry={geometry} chart={chart} />
        <Series series={chart.series} steps={steps} geometry={geometry} />
      </svg>
      <Pointer {...{ chart, steps, stepMinutes, geometry, place, onPoint }} />
    </div>
  );
}
