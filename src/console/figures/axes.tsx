import type { Chart } from "./chart.ts";
import type { Geometry } from "./geometry.ts";

/** Lines lie on whole pixels: they are sharp. */
const sharp = (length: number) => Math.round(length) + 0.5;

export function Axes({ geometry, chart }: { geometry: Geometry; chart: Chart }) {
  const { left, right, bottom, valueTicks, timeTicks, yOf, xAt } = geometry;
  return (
    <g class="chart-axes">
      {valueTicks.map((value) => (
        <g key={value}>
          <line x1={left} x2={right} y1={sharp(yOf(value))} y2={sharp(yOf(value))} />
          <text x={left - 6} y={yOf(value)} dy="0.35em" text-anchor="end">
            {chart.format(value)}
          </text>
        </g>
      ))}
      {timeTicks.map(({ at, label }) => (
        <g key={at}>
          <line x1={sharp(xAt(at))} x2={sharp(xAt(at))} y1={bottom} y2={bottom + 5} class="chart-tick" />
          <text x={xAt(at)} y={bottom + 18} text-anchor={anchorOf(xAt(at), geometry)}>
            {label}
          </text>
        </g>
      ))}
      <line x1={left} x2={right} y1={sharp(bottom)} y2={sharp(bottom)} class="chart-base" />
      {chart.bound && <Bound geometry={geometry} bound={chart.bound} />}
    </g>
  );
}

/** Only where the values come near it: otherwise they would lie flat on the ground. */
function Bound({ geometry, bound }: { geometry: Geometry; bound: NonNullable<Chart["bound"]> }) {
  const { left, right, yOf, valueTicks } = geometry;
  if (bound.value > (valueTicks.at(-1) ?? 0)) return null;
  const y = sharp(yOf(bound.value));
  return (
    <g class="chart-bound">
      <line x1={left} x2={right} y1={y} y2={y} />
      <text x={left + 4} y={y - 4}>
        {bound.name}
      </text>
    </g>
  );
}

/** Half a label. Pixels. */
const HALF = 24;

/** A label at the edge stays within the chart. */
function anchorOf(x: number, { width }: Geometry) {
  return x > width - HALF ? "end" : "middle";
}
