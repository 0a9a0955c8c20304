import type { StatisticsStep } from "../../../generated/operations/types.ts";
import type { Chart } from "./chart.ts";
import type { Geometry } from "./geometry.ts";
import { stepInWords } from "./step-words.ts";

interface Props {
  chart: Chart;
  steps: readonly StatisticsStep[];
  stepMinutes: number;
  geometry: Geometry;
  place: number | undefined;
  onPoint(place: number | undefined): void;
}

/** Lies over the chart, unseen: a slider from step to step, for the mouse, the finger and the arrow keys. */
export function Pointer({ chart, steps, stepMinutes, geometry, place, onPoint }: Props) {
  const { left, right, slot } = geometry;
  const last = steps.length - 1;
  const current = Math.min(place ?? last, last);
  const step = steps[current];
  const point = (event: PointerEvent) => {
    const { left: edge } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    onPoint(Math.min(last, Math.max(0, Math.floor((event.clientX - edge) / slot))));
  };
  return (
    <input
      class="chart-pointer"
      type="range"
      min={0}
      max={last}
      value={current}
      aria-label={`${chart.title}, step by step`}
      aria-valuetext={step && stepInWords(step, stepMinutes, chart)}
      style={{ left: `${left}px`, width: `${right - left}px` }}
      onFocus={() => onPoint(current)}
      onBlur={() => onPoint(undefined)}
      onInput={(event) => onPoint(Number(event.currentTarget.value))}
      onPointerMove={point}
      onPointerDown={point}
      onPointerLeave={(event) => {
        if (document.activeElement !== event.currentTarget) onPoint(undefined);
      }}
    />
  );
}
