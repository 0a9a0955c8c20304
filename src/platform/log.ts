import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";

// DECISIONS, "Personal data and secrets": pino's redaction does not reach into texts, so the finished line is scrubbed.
const UUID = "[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}";
/** As it stands, or percent-encoded. */
const SIGN = "(?:[-+]|%2[db])";
const PERSONAL_NUMBER = `(?<!\\d)(?:(?:18|19|20)\\d{6}${SIGN}?|\\d{6}${SIGN})\\d{4}(?!\\d)`;
/** International, or national in Sweden. */
const PHONE = "(?:\\+\\d|(?<![\\w.])0\\d)(?:[ -]?\\d){6,13}(?!\\d)";
const EMAIL = "[\\w.+%-]{1,64}@(?:[\\w-]{1,63}\\.){1,8}[a-z]{2,}";

type Secret = readonly [RegExp, string];

const TOKENS: readonly Secret[] = [
  [/\bspp_[\w-]{20,}/g, "[token]"],
  [/\bBearer +[\x21-\x7e]+?(?=["\\\s]|$)/gi, "[token]"],
];
const PEOPLE: readonly Secret[] = [
  [new RegExp(`${UUID}|${PERSONAL_NUMBER}`, "gi"), "[personal number]"],
  [new RegExp(`${UUID}|${EMAIL}`, "gi"), "[e-mail]"],
  [new RegExp(`${UUID}|${PHONE}`, "gi"), "[phone]"],
];
const WHOLE_UUID = new RegExp(`^${UUID}$`, "i");

// Not in logs, where too many other ids are ten digits. Month 00 and the days from 60 are those of coordination numbers.
const TEN_DIGITS = "(?<!\\d)\\d{2}(?:0\\d|1[0-2])(?:0[1-9]|[12]\\d|3[01]|[678]\\d|9[01])\\d{4}(?!\\d)";
/** Its fraction and its offset may hold as many digits as a personal number. */
const TIME =
  "\\d{4}-?\\d\\d-?\\d\\dT\\d\\d:?\\d\\d(?::?\\d\\d(?:[.,]\\d{1,9})?)?(?:Z|[-+]\\d\\d(?::?\\d\\d)?)?(?!\\d)";
const PLAIN_UUID = "(?<![\\da-f])[\\da-f]{32}(?![\\da-f])";
const ANY_PERSONAL_NUMBER = new RegExp(
  `(${UUID}|${PLAIN_UUID}|${TIME})|${PERSONAL_NUMBER}|${TEN_DIGITS}`,
  "gi",
);

/** Structured lines without personal data or secrets. `destination`: stderr unless given; stdout belongs to the command. */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    hooks: { streamWrite: scrub },
  };
  return pino(options, destination ?? pino.destination({ dest: 2, sync: false }));
}

/** The text without what tells of people: it may be shown to whoever runs the platform. */
export function withoutPeople(text: string): string {
  return replaceAll(text, PEOPLE);
}

/** The text without what looks like a personal number, of ten digits too. UUIDs and ISO times stay. */
export function withoutPersonalNumbers(text: string): string {
  return text.replace(ANY_PERSONAL_NUMBER, (_found, kept?: string) => kept ?? "[personal number]");
}

const scrub = (line: string): string => replaceAll(line, [...TOKENS, ...PEOPLE]);

/** An id may end in twelve digits that look like a person's: it stays. */
function replaceAll(line: string, secrets: readonly Secret[]): string {
  return secrets.reduce(
    (text, [pattern, instead]) =>
      text.replace(pattern, (found) => (WHOLE_UUID.test(found) ? found : instead)),
    line,
  );
}

/** A database's error carries the values of the row in `detail` and `where`; they stay out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack, cause } = error;
  const code = (error as NodeJS.ErrnoException).code;
  return {
    ...{ type: name, message, stack },
    ...(code !== undefined && { code }),
    ...(cause !== undefined && { cause: describeError(cause) }),
  };
}
