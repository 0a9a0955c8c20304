// decisions, "Personal data and secrets": finds what may be personal data in arbitrary text.
const UUID = "[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}";
/** Plain, or percent-encoded. */
const SIGN = "(?:[-+]|%2[db])";
const PERSONAL_NUMBER = `(?<!\\d)(?:(?:18|19|20)\\d{6}${SIGN}?|\\d{6}${SIGN})\\d{4}(?!\\d)`;
/** International, or national in Sweden. */
const PHONE = "(?:\\+\\d|(?<![\\w.])0\\d)(?:[ -]?\\d){6,13}(?!\\d)";
/** Also matches the text before an @ that may follow: it is then read once, not from each of its characters. */
const EMAIL = "[\\w.+%-]+(?:@(?:[\\w-]{1,63}\\.){1,8}[a-z]{2,63})?";

/** The third is a part that a match must hold. */
type Secret = readonly [pattern: RegExp, instead: string, part?: string];

const TOKENS: readonly Secret[] = [
  [/\bsp[po]_[\w-]{20,}/g, "[token]"],
  [/\bBearer {1,9}[^"\\\s]+/gi, "[token]"],
];
const PEOPLE: readonly Secret[] = [
  [new RegExp(`${UUID}|${PERSONAL_NUMBER}`, "gi"), "[personal number]"],
  [new RegExp(`${UUID}|${EMAIL}`, "gi"), "[e-mail]", "@"],
  [new RegExp(`${UUID}|${PHONE}`, "gi"), "[phone]"],
];
const WHOLE_UUID = new RegExp(`^${UUID}$`, "i");

// Month 00 and the days from 60 are those of coordination numbers.
const TEN_DIGITS = "(?<!\\d)\\d{2}(?:0\\d|1[0-2])(?:0[1-9]|[12]\\d|3[01]|[678]\\d|9[01])\\d{4}(?!\\d)";
/** Its fraction and its offset may hold as many digits as a personal number. */
const TIME =
  "\\d{4}-?\\d\\d-?\\d\\dT\\d\\d:?\\d\\d(?::?\\d\\d(?:[.,]\\d{1,9})?)?(?:Z|[-+]\\d\\d(?::?\\d\\d)?)?(?!\\d)";
const PLAIN_UUID = "(?<![\\da-f])[\\da-f]{32}(?![\\da-f])";
const ANY_PERSONAL_NUMBER = new RegExp(
  `(${UUID}|${PLAIN_UUID}|${TIME})|${PERSONAL_NUMBER}|${TEN_DIGITS}`,
  "gi",
);

/** Every expression that a text goes through. */
export const PATTERNS: readonly RegExp[] = [
  ...[...TOKENS, ...PEOPLE].map(([pattern]) => pattern),
  WHOLE_UUID,
  ANY_PERSONAL_NUMBER,
];

/** The text without personal data: it may be shown to operators. */
export function withoutPeople(text: string): string {
  return replaceAll(text, PEOPLE);
}

/** Returns the text without possible personal numbers, of ten digits too. UUIDs and ISO times are kept. */
export function withoutPersonalNumbers(text: string): string {
  return text.replace(ANY_PERSONAL_NUMBER, (_found, kept?: string) => kept ?? "[personal number]");
}

/** The text without tokens and personal data: for a finished line of a log. A provider may use personal numbers of ten digits as ids. */
export const scrub = (line: string): string =>
  withoutPersonalNumbers(replaceAll(line, [...TOKENS, ...PEOPLE]));

/** An id may end in twelve digits that look like a person's: it stays. */
function replaceAll(line: string, secrets: readonly Secret[]): string {
  return secrets.reduce(
    (text, [pattern, instead, part = ""]) =>
      text.replace(pattern, (found) => (found.includes(part) && !WHOLE_UUID.test(found) ? instead : found)),
    line,
  );
}

// For the console: enough to compare what two sources assert, and too little to write or call. Never for logs.

/** The first letter and the domain: `r***@example.com`. Empty for an empty text. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  if (at < 0) return first && `${first}***`;
  return `${first}***${email.slice(at)}`;
}

/** The last two digits: `*** 05`. Empty for an empty text. */
export const maskPhone = (phone: string): string => phone && `*** ${phone.slice(-2)}`;
