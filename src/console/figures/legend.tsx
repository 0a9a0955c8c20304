import type { StatisticsStep } from "../../../generated/operations/types.ts";
import type { Chart } from "./chart.ts";
import { nameOfStep, valueInWords } from "./step-words.ts";

interface Props {
  chart: Chart;
  /** The one that is pointed at. */
  step: StatisticsStep | undefined;
  stepMinutes: number;
}

/** Which mark is what, with the values of one step beside it. */
export function Legend({ chart, step, stepMinutes }: Props) {
  return (
    <div class="row chart-legend">
      {chart.series.map((series) => (
        <span key={series.name} class="chart-mark" data-tone={series.tone} data-kind={chart.kind}>
          {series.name}
          {step && <strong>{valueInWords(series, step, chart)}</strong>}
        </span>
      ))}
      <span class="soft push">
        {step ? nameOfStep(step, stepMinutes) : "Point at the chart for a step's values"}
      </span>
    </div>
  );
}
