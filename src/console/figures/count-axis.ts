/** What a round number begins with. */
const ROUND = [1, 2, 5, 10];

/**
 * From 0 up to the first round number that is not below the largest value: equal steps of 1, 2 or 5 times a power of ten.
 * @param atMost how many steps.
 * @param whole whether what is counted comes in whole numbers.
 */
export function roundTicks(largest: number, { atMost = 4, whole = false } = {}): number[] {
  const step = roundStep(Math.max(largest, 0), atMost, whole);
  const steps = Math.max(1, Math.ceil(largest / step - 1e-9));
  return Array.from({ length: steps + 1 }, (_, place) => clean(place * step));
}

function roundStep(largest: number, atMost: number, whole: boolean): number {
  if (largest === 0) return 1;
  const rough = largest / atMost;
  const power = 10 ** Math.floor(Math.log10(rough));
  const factor = ROUND.find((each) => each * power >= rough * (1 - 1e-9)) ?? 10;
  const step = clean(factor * power);
  return whole ? Math.max(1, step) : step;
}

/** Without the last digits of binary fractions: 0.3, not 0.30000000000000004. */
const clean = (number: number) => Number(number.toPrecision(12));
