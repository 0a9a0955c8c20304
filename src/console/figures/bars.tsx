import type { StatisticsStep } from "../../../generated/operations/types.ts";
import type { Series } from "./chart.ts";
import type { Geometry } from "./geometry.ts";

interface Props {
  series: readonly Series[];
  steps: readonly StatisticsStep[];
  geometry: Geometry;
}

/** Narrower bars have no room between them. Pixels. */
const NARROW = 4;
/** However little it is, one failure shows. Pixels. */
const LEAST = 2;

/** A bar for each step, the series on top of one another. */
export function Bars({ series, steps, geometry }: Props) {
  const { slot, bottom, yOf, xOf } = geometry;
  const width = slot > NARROW ? slot * 0.75 : slot;
  return (
    <g class="chart-bars">
      {steps.flatMap((step, place) => {
        let foot = bottom;
        return series.map(({ name, tone, read }) => {
          const value = read(step) ?? 0;
          if (value <= 0) return null;
          const height = Math.max(LEAST, bottom - yOf(value));
          foot -= height;
          return (
            <rect
              key={`${step.at} ${name}`}
              x={xOf(place) - width / 2}
              y={foot}
              {...{ width, height }}
              data-tone={tone}
            />
          );
        });
      })}
    </g>
  );
}
