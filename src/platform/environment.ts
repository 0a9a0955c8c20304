import { readFileSync } from "node:fs";
import { distance } from "fastest-levenshtein";
import type { Env } from "./setting-kinds.ts";
import {
  DATABASE_SETTINGS,
  SETTING_NAMES,
  SETTING_RULES,
  SETTINGS,
  type SettingName,
  settingOf,
} from "./settings.ts";

/** Settings that hold a secret: each may be given as a file, `NAME_FILE`. */
export const SECRETS: readonly string[] = SETTING_NAMES.filter((name) => SETTINGS[name].isSecret);

/** One clear line for each value that is missing or wrong. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

/**
 * Returns the environment of a command that uses the database or the API of a platform, with the secrets from their files.
 * @param names the settings that the command reads, beside those of the database
 * @throws ConfigError for a misspelt setting, an empty one that would silently change what the command works on, and a value that cannot
 * be used
 */
export function readEnvironment(
  given: Env,
  names: readonly SettingName[] = [],
): Record<string, string | undefined> {
  const { env, faults } = checkEnvironment(given, [...DATABASE_SETTINGS, ...names]);
  if (faults.length > 0) throw new ConfigError(faults);
  return env;
}

/** Returns the environment as `readEnvironment` does, with its faults. */
export function checkEnvironment(
  given: Env,
  names: readonly SettingName[],
): { env: Record<string, string | undefined>; faults: readonly string[] } {
  const { env, faults: unreadable } = withSecretFiles(given);
  // A file that cannot be read is the cause of what would be missing.
  if (unreadable.length > 0) return { env, faults: unreadable };
  return {
    env,
    faults: [
      ...gone(given, names),
      ...misspelt(given),
      ...empty(env),
      ...wrong(env, names),
      ...broken(env, names),
    ],
  };
}

/** The contents of the files replace their names, without their last line break; one line for each file that cannot be used. */
function withSecretFiles(given: Env): { env: Record<string, string | undefined>; faults: string[] } {
  const env: Record<string, string | undefined> = { ...given };
  const faults: string[] = [];
  for (const name of SECRETS) {
    const setting = `${name}_FILE`;
    const path = given[setting];
    delete env[setting];
    if (path === undefined) continue;
    try {
      if (path === "") faults.push(`${setting} is empty: unset it, or give the path of a file`);
      else if (given[name]) faults.push(`${name} and ${setting} are both set: keep one of them`);
      else env[name] = readFileSync(path, "utf8").replace(/\r?\n$/, "");
      if (path !== "" && env[name] === "") faults.push(`${setting} names an empty file: ${path}`);
    } catch (error) {
      faults.push(`${setting} cannot be read: ${(error as NodeJS.ErrnoException).code} at ${path}`);
    }
  }
  return { env, faults };
}

/** A template that was not filled in must not select another database, another folder, or no mail. */
const empty = (env: Env): string[] =>
  SETTING_NAMES.flatMap((name) => {
    const { whenEmpty } = SETTINGS[name];
    return whenEmpty !== undefined && env[name] === "" ? [`${name} is empty: ${whenEmpty}`] : [];
  });

/** No fault repeats a value: some are secrets, and a URL may hold a password. */
const wrong = (env: Env, names: readonly SettingName[]): string[] =>
  names.flatMap((name) => {
    const { kind, usedWith } = SETTINGS[name];
    const text = env[name];
    if (!text || (usedWith !== undefined && !env[usedWith])) return [];
    return kind.faultOf(name, text, env) ?? [];
  });

const broken = (env: Env, names: readonly SettingName[]): string[] =>
  SETTING_RULES.filter(({ setting, isBroken }) => names.includes(setting) && isBroken(env)).map(
    ({ refusal }) => refusal,
  );

/**
 * Returns the data folder. `env`: checked, so that the setting is not empty.
 * @param flag --data
 * @throws ConfigError when the flag is empty, as of a variable that is not set
 */
export function dataDirOf(env: Env, flag?: string): string {
  if (flag === "") throw new ConfigError(["--data is empty: omit it, or give the path of a folder"]);
  return flag ?? settingOf(env, "SHIFTPACT_DATA");
}

/** Names long enough that one which differs in a letter or two belongs to no other program. */
const NAMES: readonly string[] = [
  ...SETTING_NAMES.filter((name) => name.length >= 8),
  ...SECRETS.map((name) => `${name}_FILE`),
];

/** Settings of earlier versions, and what holds now. */
const GONE: Readonly<Record<string, string>> = {
  HOST: "write PORT=HOST:PORT",
  MANAGEMENT_HOST: "write MANAGEMENT_PORT=HOST:PORT",
  PUBLIC_HOST: "write PUBLIC_PORT=HOST:PORT",
  UNKNOWN_TOKEN_LIMIT: "30 unknown tokens a minute from an address",
  RETAIN_EVENTS_DAYS: "30 days",
  RETAIN_TRACES_DAYS: "30 days",
  RETAIN_ISSUES_DAYS: "365 days",
  OFFER_MAIL_MINUTES: "10 minutes",
  OFFER_MAIL_DAILY_LIMIT: "10 mails within 24 hours",
  OFFER_WAVE_MINUTES: "30 minutes",
  ALERT_SEVERITY: "operators are alerted of urgent issues",
  SMTP_FROM_NAME: "write SMTP_FROM=NAME <ADDRESS>",
  SHIFTPACT_URL: "name the platform with --url",
  SECRET_KEYS: "SECRET_KEY takes several keys, separated by commas",
};

/** Shells and build tools set HOST as well: it is refused only by commands that read PORT, which would not listen where it says. */
const gone = (env: Env, names: readonly SettingName[]): string[] =>
  Object.entries(GONE).flatMap(([name, now]) =>
    env[name] === undefined || (name === "HOST" && !names.includes("PORT"))
      ? []
      : [`${name} is no longer a setting: ${now}; unset it`],
  );

/** A misspelt setting would be ignored in silence: with DATABSE_URL the platform would start on an empty database. */
function misspelt(env: Env): string[] {
  return Object.keys(env).flatMap((name) => {
    if (NAMES.includes(name) || name in GONE) return [];
    const [meant] = NAMES.filter((each) => distance(name, each) <= 2).sort(
      (one, other) => distance(name, one) - distance(name, other),
    );
    return meant === undefined ? [] : [`${name} is not a setting of the platform; did you mean ${meant}?`];
  });
}
