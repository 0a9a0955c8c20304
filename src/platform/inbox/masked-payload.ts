import { withoutPersonalNumbers } from "../log.ts";

type Payload = Record<string, unknown>;

/** A stored payload that may be shown: personal numbers are masked in its texts, names and numbers, however deep. */
export function maskedPayload(payload: Payload): Payload {
  const masked: Payload = {};
  for (const [name, value] of Object.entries(payload)) {
    // Not assigned: a member may be named `__proto__`.
    Object.defineProperty(masked, freeName(withoutPersonalNumbers(name), masked), {
      ...{ value: maskedValue(value), enumerable: true, configurable: true, writable: true },
    });
  }
  return masked;
}

function maskedValue(value: unknown): unknown {
  if (typeof value === "string") return withoutPersonalNumbers(value);
  if (typeof value === "number") return maskedNumber(value);
  if (Array.isArray(value)) return value.map(maskedValue);
  return typeof value === "object" && value !== null ? maskedPayload(value as Payload) : value;
}

/** Of the ten digits of somebody born in 2000 to 2009, a number keeps as few as seven. */
function maskedNumber(value: number): unknown {
  if (!Number.isSafeInteger(value) || Math.abs(value) < 1_000_000) return value;
  const digits = String(Math.abs(value)).padStart(10, "0");
  const masked = withoutPersonalNumbers(digits);
  return masked === digits ? value : masked;
}

/** Two names that are masked alike are two members still. */
function freeName(name: string, taken: Payload): string {
  let free = name;
  for (let nth = 2; Object.hasOwn(taken, free); nth += 1) free = `${name} ${nth}`;
  return free;
}
