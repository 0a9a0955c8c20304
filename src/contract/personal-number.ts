/** A Swedish personal or coordination number as 12 digits, `YYYYMMDDXXXX` (contract section 2.8). */
export type PersonalNumber = string & { readonly __brand: "PersonalNumber" };

const FORM = /^((?:18|19|20)\d{2})(\d{2})(\d{2})-?\d{4}$/;

/** Whether a text has one of the two forms of contract section 2.8, even if its date or check digit is wrong. */
export const looksLikePersonalNumber = (text: string): boolean => /^\d{8}-?\d{4}$/.test(text);

/** The Tax Agency adds 60 to the day of a coordination number; 60 itself means an unknown day. */
const COORDINATION_DAY = 60;

/**
 * Reads `YYYYMMDDXXXX` or `YYYYMMDD-XXXX` (contract section 2.8 gives both). Returns undefined for anything else: ten digits
 * and the `+` of the over-hundreds leave the century open, and a wrong guess would hire the wrong person.
 *
 * Coordination numbers need no real date: the agency publishes some with month 00, day 60, or the 31st of February.
 */
export function parsePersonalNumber(text: string): PersonalNumber | undefined {
  const [, year, month, day] = FORM.exec(text) ?? [];
  if (year === undefined || !isDay(Number(year), Number(month), Number(day))) return undefined;
  const digits = text.replace("-", "");
  return passesLuhn(digits.slice(2)) ? (digits as PersonalNumber) : undefined;
}

function isDay(year: number, month: number, day: number): boolean {
  if (day >= COORDINATION_DAY) return month <= 12 && day <= COORDINATION_DAY + 31;
  // Day 0 of the following month is the last day of this one.
  return month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function passesLuhn(tenDigits: string): boolean {
  let sum = 0;
  for (const [index, digit] of [...tenDigits].entries()) {
    const product = Number(digit) * (index % 2 === 0 ? 2 : 1);
    sum += product > 9 ? product - 9 : product;
  }
  return sum % 10 === 0;
}

/** The first year of the numbers that the Tax Agency published for tests: no one older is alive. */
const FIRST_YEAR = "1890";

/** Whether someone with this number may be alive on a day: a typed 20 for 19 passes the check digit. */
export function isBirthPlausible(number: PersonalNumber, now: Date): boolean {
  const day = Number(number.slice(6, 8)) % COORDINATION_DAY;
  const born = number.slice(0, 6) + `${day}`.padStart(2, "0");
  const today = now.toISOString().slice(0, 10).replaceAll("-", "");
  return born >= FIRST_YEAR && born <= today;
}

/**
 * Whether a text is the number in any form that providers write: 12 digits, or 10 without the century, each with or without a hyphen. Ten digits
 * leave the century open, so it is for the response to a question about that number alone.
 */
export function isSameNumber(text: string, number: PersonalNumber): boolean {
  const forms = [number, hyphenated(number)];
  return forms.some((form) => text === form || text === form.slice(2));
}

/** `YYYYMMDD-XXXX`, the context description's form. Some providers find a candidate only under this one. */
export function hyphenated(number: PersonalNumber): string {
  return `${number.slice(0, 8)}-${number.slice(8)}`;
}

/** For the console: the birth year stays, to distinguish people with the same name. Never for logs. */
export function maskPersonalNumber(number: PersonalNumber): string {
  return `${number.slice(0, 4)}****-****`;
}
