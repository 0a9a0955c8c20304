import type { StatisticsStep } from "../../../generated/operations/types.ts";
import type { Series } from "./chart.ts";
import type { Geometry } from "./geometry.ts";
import { linePath } from "./line-path.ts";

interface Props {
  series: readonly Series[];
  steps: readonly StatisticsStep[];
  geometry: Geometry;
}

/** A line for each series, with gaps where a step has no value. */
export function Lines({ series, steps, geometry: { xOf, yOf } }: Props) {
  return (
    <g class="chart-lines">
      {series.map(({ name, tone, read }) => {
        const points = steps.map((step, place) => {
          const value = read(step);
          return value === undefined ? undefined : { x: xOf(place), y: yOf(value) };
        });
        const { path, dots } = linePath(points);
        return (
          <g key={name} data-tone={tone}>
            <path d={path} />
            {dots.map(({ x, y }) => (
              <circle key={x} cx={x} cy={y} r="2.5" />
            ))}
          </g>
        );
      })}
    </g>
  );
}
