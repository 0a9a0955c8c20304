/** Returns whether a number is a multiple of another, both as they are written in decimal digits. */
export function isMultiple(value: number, of: number): boolean {
  if (Number.isInteger(value) && Number.isInteger(of)) return value % of === 0;
  const [left, right] = [decimal(value), decimal(of)];
  const exponent = Math.min(left.exponent, right.exponent);
  const scaled = (each: Decimal) => each.digits * 10n ** BigInt(each.exponent - exponent);
  return scaled(left) % scaled(right) === 0n;
}

/** `digits` times a power of ten. */
interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

function decimal(value: number): Decimal {
  const [digits = "", exponent] = value.toExponential().split("e");
  const fraction = digits.split(".")[1]?.length ?? 0;
  return { digits: BigInt(digits.replace(".", "")), exponent: Number(exponent) - fraction };
}
