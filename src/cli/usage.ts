import { type ParseArgsConfig, parseArgs } from "node:util";
import { isUuid } from "../contract/uuid.ts";
import { CHAPTERS, notesOf, SETTINGS, type SettingName } from "../platform/settings.ts";
import type { Io } from "./io.ts";

/** An unusable flag; the message is one line for the user. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Returns whether there is the URL of a database with a password, before its host or among its options. */
function holdsPassword(argument: string): boolean {
  const [, url = ""] = argument.split(/postgres(?:ql)?:\/\//i);
  const user = url.slice(0, Math.max(0, url.lastIndexOf("@")));
  return /:./.test(user) || /[?&]password=./i.test(url);
}

/** @throws UsageError for an unknown flag, one without its value, and the password of a database: other users of the machine see arguments */
export function readFlags<const C extends ParseArgsConfig>(config: C): ReturnType<typeof parseArgs<C>> {
  if (config.args?.some(holdsPassword))
    throw new UsageError(
      "an argument holds the password of a database, which other users of this machine can read: set DATABASE_URL, or DATABASE_URL_FILE to the path of a file that holds it",
    );
  try {
    return parseArgs(config);
  } catch (error) {
    const line = error instanceof Error ? error.message.split("\n")[0] : "bad flags";
    throw new UsageError(`${line} (see --help)`);
  }
}

/** @throws UsageError */
export function numberFlag(flag: string, text: string, least: number, most: number): number {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new UsageError(`--${flag} must be a number from ${least} to ${most}, not ${JSON.stringify(text)}`);
}

/** @throws UsageError when it is empty, as of a variable that is not set */
export function platformUrlFlag(text: string | undefined): string | undefined {
  if (text === "") throw new UsageError("--url is empty: omit it, or give the URL of a platform");
  return text;
}

/** @throws UsageError when it is missing, or not a UUID */
export function uuidFlag(flag: string, text: string | undefined): string {
  if (text === undefined) throw new UsageError(`--${flag} is required (see --help)`);
  if (isUuid(text)) return text;
  throw new UsageError(`--${flag} must be a UUID, not ${JSON.stringify(text)}`);
}

/** @throws UsageError */
export function choice<const Value extends string>(
  flag: string,
  text: string,
  values: readonly Value[],
): Value {
  const value = values.find((each) => each === text);
  if (value !== undefined) return value;
  throw new UsageError(`--${flag} must be ${values.join(" or ")}, not ${JSON.stringify(text)}`);
}

/**
 * Returns the token of a flag, or of an environment variable.
 * @throws UsageError when both are missing, or a header cannot carry the token
 */
export function tokenFlag(flag: string, text: string | undefined, variable: string, env: Io["env"]): string {
  const [name, token] = text === undefined ? [variable, env[variable]] : [`--${flag}`, text];
  if (token) return visibleToken(name, token);
  throw new UsageError(`no token: give --${flag}, or set ${variable} in the environment`);
}

/**
 * Never shows the given value: a mistyped token is almost the token.
 * @throws UsageError when a header cannot carry the token
 */
export function visibleToken(name: string, token: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(`${name} must be visible ASCII characters, without spaces and line ends`);
}

const WIDTH = 110;
const INDENT = " ".repeat(29);

/** Returns the settings that `shiftpact platform` reads, as lines for a terminal. */
export function settingsHelp(): string {
  return Object.entries(CHAPTERS)
    .map(([title, settings]) => [`${title}:`, ...Object.keys(settings).map(entryOf)].join("\n"))
    .join("\n\n");
}

function entryOf(name: string): string {
  const { help, kind, isSecret, default: value, unset } = SETTINGS[name as SettingName];
  const facts = [
    kind.form,
    ...(value === undefined ? [] : [`default ${value}`]),
    ...(unset === undefined ? [] : [`if unset: ${unset}`]),
    ...notesOf(name as SettingName),
    ...(isSecret ? [`or ${name}_FILE`] : []),
  ];
  const lines = [...wrapped(help), ...wrapped(`(${facts.join("; ")})`)].map((line) => INDENT + line);
  return `  ${name}`.padEnd(INDENT.length) + lines.join("\n").trimStart();
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.replaceAll("`", "").split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= WIDTH - INDENT.length) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}
