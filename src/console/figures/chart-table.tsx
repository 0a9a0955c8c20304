import { useState } from "preact/hooks";
import type { StatisticsStep } from "../../../generated/operations/types.ts";
import type { Chart } from "./chart.ts";
import { nameOfStep, valueInWords } from "./step-words.ts";

interface Props {
  chart: Chart;
  steps: readonly StatisticsStep[];
  stepMinutes: number;
}

/** The same numbers, the latest first; written only while they are looked at. */
export function ChartTable(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>The numbers as a table</summary>
      {isOpen && <Numbers {...props} />}
    </details>
  );
}

function Numbers({ chart, steps, stepMinutes }: Props) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is longer than its place is moved with the keyboard.
    <section class="scroll chart-numbers" aria-label={`${chart.title}: numbers`} tabIndex={0}>
      <table>
        <caption class="unseen">{chart.title}, the latest first</caption>
        <thead>
          <tr>
            <th scope="col">Step</th>
            {chart.series.map(({ name }) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.toReversed().map((step) => (
            <tr key={step.at}>
              <th scope="row">{nameOfStep(step, stepMinutes)}</th>
              {chart.series.map((series) => (
                <td key={series.name} class="number">
                  {valueInWords(series, step, chart)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
