export interface Point {
  x: number;
  y: number;
}

export interface LineParts {
  /** An SVG path; a gap where there is no value. */
  path: string;
  /** Points without neighbours, which a path does not show. */
  dots: Point[];
}

/** A line through what there is. */
export function linePath(points: readonly (Point | undefined)[]): LineParts {
  const runs: Point[][] = [];
  let isGap = true;
  for (const point of points) {
    if (point && isGap) runs.push([]);
    if (point) runs.at(-1)?.push(point);
    isGap = point === undefined;
  }
  return {
    path: runs
      .filter((run) => run.length > 1)
      .map(pathOf)
      .join(""),
    dots: runs.filter((run) => run.length === 1).flat(),
  };
}

function pathOf(run: readonly Point[]): string {
  return run.map(({ x, y }, place) => `${place === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
}

const round = (length: number) => Math.round(length * 10) / 10;
