import { isSafePattern } from "redos-detector";

/**
 * The string formats that documents may use, each as one RegExp. They are compiled into the validators as literals,
 * which need no lookup at run time.
 */

const LEAP_YEAR = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const DATE = [
  "\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\\d|2[0-8])",
  "\\d{4}-(?:0[13-9]|1[0-2])-(?:29|30)",
  "\\d{4}-(?:0[13578]|1[02])-31",
  `${LEAP_YEAR}-02-29`,
].join("|");
/** Without leap seconds: ECMAScript has no instant for them, so a reader could not use the value. */
const TIME = "(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?";
const OFFSET = "(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)";
/**
 * ISO 8601 beyond RFC 3339: without separators, without seconds or minutes, with a comma before the fraction, with a midnight that ends
 * a day. The reader checks whether the day or the leap second exists.
 */
const READ_DATE = `(?:${DATE}|\\d{8})`;
const READ_TIME =
  "(?:(?:[01]\\d|2[0-3])(?::?[0-5]\\d(?::?(?:[0-5]\\d|60)(?:[.,]\\d+)?)?)?|24(?::?00(?::?00(?:[.,]0{1,99})?)?)?)";
const READ_OFFSET = "(?:[Zz]|[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?)";

/** RFC 3339, appendix A: each unit is followed by the next smaller one only. */
const COUNT = "\\d{1,15}";
const [SECONDS, DAYS] = [`${COUNT}S`, `${COUNT}D`];
const [MINUTES, MONTHS] = [`${COUNT}M(?:${SECONDS})?`, `${COUNT}M(?:${DAYS})?`];
const TIMES = `T(?:${COUNT}H(?:${MINUTES})?|${MINUTES}|${SECONDS})`;
const DATES = `(?:${COUNT}Y(?:${MONTHS})?|${MONTHS}|${DAYS})`;

const OCTET = "(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)";
const IPV4 = `${OCTET}(?:\\.${OCTET}){3}`;
/** RFC 4291, section 2.2: eight groups, of which one run of zeros may be left out; the last two may be an IPv4 address. */
const GROUP = "[0-9a-f]{1,4}";
const LAST = `(?:${GROUP}:${GROUP}|${IPV4})`;
const upTo = (groups: number): string => (groups < 1 ? "" : `(?:${GROUP}(?::${GROUP}){0,${groups - 1}})?`);
const IPV6 = [
  `(?:${GROUP}:){6}${LAST}`,
  ...[5, 4, 3, 2, 1, 0].map((after) => `${upTo(5 - after)}::(?:${GROUP}:){${after}}${LAST}`),
  `${upTo(6)}::${GROUP}`,
  `${upTo(7)}::`,
].join("|");

const ATOM = "[a-z0-9!#$%&'*+/=?^_`{|}~-]+";
const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
/** RFC 3986, section 2: the unescaped characters, and percent-encoded octets. */
const URI_CHARACTER = "(?:[a-z0-9\\-._~:/?#[\\]@!$&'()*+,;=]|%[0-9a-f]{2})";

const IRI_CHARACTER = "(?:[a-zA-Z0-9\\-._~:/?#[\\]@!$&'()*+,;=\\xa0-\\uffff]|%[0-9a-fA-F]{2})";
const POINTER = "(?:/(?:[^~]|~[01])*)?";

export const FORMATS: Readonly<Record<string, RegExp>> = {
  /** RFC 3339 section 5.6, the offset mandatory. */
  "date-time": new RegExp(`^(?:${DATE})[Tt]${TIME}${OFFSET}$`),
  /** ISO 8601 with an optional offset, for receivers of times from senders that omit it. */
  "local-date-time": new RegExp(`^${READ_DATE}[Tt]${READ_TIME}${READ_OFFSET}?$`),
  date: new RegExp(`^(?:${DATE})$`),
  /** RFC 9562 section 4, any version. */
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /** RFC 5321 section 4.1.2: dot-string at domain; no quoted strings, comments or address literals. */
  email: new RegExp(`^${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})+$`, "i"),
  uri: new RegExp(`^[a-z][a-z0-9+.-]*:${URI_CHARACTER}+$`, "i"),
  "uri-reference": new RegExp(`^${URI_CHARACTER}*$`, "i"),
  /** RFC 3987: a URI with letters of any language. */
  iri: new RegExp(`^[a-zA-Z][a-zA-Z0-9+.-]*:${IRI_CHARACTER}+$`),
  "iri-reference": new RegExp(`^${IRI_CHARACTER}*$`),
  time: new RegExp(`^${TIME}${OFFSET}$`),
  duration: new RegExp(`^P(?:${DATES}(?:${TIMES})?|${TIMES}|${COUNT}W)$`),
  ipv4: new RegExp(`^${IPV4}$`),
  ipv6: new RegExp(`^(?:${IPV6})$`, "i"),
  /** RFC 1123, section 2.1. */
  hostname: new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL}){0,126}$`, "i"),
  /** RFC 6901. */
  "json-pointer": new RegExp(`^${POINTER}$`),
  "relative-json-pointer": new RegExp(`^(?:0|[1-9]\\d{0,9})(?:#|${POINTER})$`),
};

/** The project's own formats: published documents give their expression instead. */
export const OWN_FORMATS: readonly string[] = ["local-date-time"];

/** Formats whose values another one accepts too: where both are required, the narrower one is used. */
export const NARROWER: Readonly<Record<string, string>> = {
  "date-time": "local-date-time",
  uri: "uri-reference",
};

/**
 * Returns whether every search with the expression takes time linear in the length of the text, as it does without an unbounded repetition. It errs on the safe side: an unbounded
 * repetition that may start anywhere in the text counts as slow, even if what precedes it cannot be part of it.
 */
export function isLinear({ source, flags }: Pick<RegExp, "source" | "flags">): boolean {
  const plain = source.replaceAll(/\\./g, "x").replaceAll(/\[[^[\]]*\]/g, "x");
  const repetitions = plain.match(/[*+]|\{\d{1,9},\}/g)?.length ?? 0;
  if (repetitions === 0 || (repetitions === 1 && !flags.includes("m") && isAnchored(plain))) return true;
  return isSafePattern(source, {
    caseInsensitive: flags.includes("i"),
    dotAll: flags.includes("s"),
    multiLine: flags.includes("m"),
    unicode: flags.includes("u"),
    maxSteps: 5_000,
  }).safe;
}

/**
 * Whether the expression starts at the start of the text and repeats no group: with one unbounded repetition, there is then a fixed number of
 * ways to match each length. The detector takes seconds to find that out for a long expression.
 */
function isAnchored(plain: string): boolean {
  return plain.startsWith("^") && !hasAlternatives(plain) && !/\)[*+{]/.test(plain);
}

/** Whether there is a `|` outside of all groups. */
function hasAlternatives(plain: string): boolean {
  const outside = plain.replaceAll(/\([^()]*\)/g, "");
  return outside === plain ? plain.includes("|") : hasAlternatives(outside);
}
