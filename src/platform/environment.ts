import { readFileSync } from "node:fs";
import { distance } from "fastest-levenshtein";
import { databaseFaults } from "./database-config.ts";
import { RETENTION } from "./retention.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** Settings that hold a secret: each may be given as a file, `NAME_FILE`. */
export const SECRETS = [
  "DATABASE_URL",
  "DIRECT_DATABASE_URL",
  "OPERATIONS_TOKEN",
  "SECRET_KEY",
  "SECRET_KEYS",
  "SMTP_URL",
] as const;

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
 * @throws ConfigError for a misspelt setting, an empty one that would silently change what the command works on, and settings of the
 * database that cannot be used.
 */
export function readEnvironment(given: Env): Record<string, string | undefined> {
  const { env, faults } = checkEnvironment(given);
  if (faults.length > 0) throw new ConfigError(faults);
  return env;
}

/** Returns the environment as `readEnvironment` does, with its faults; `more` finds those of further settings. */
export function checkEnvironment(
  given: Env,
  more: (env: Env) => readonly string[] = () => [],
): { env: Record<string, string | undefined>; faults: readonly string[] } {
  const { env, faults: unreadable } = withSecretFiles(given);
  // A file that cannot be read is the cause of what would be missing.
  if (unreadable.length > 0) return { env, faults: unreadable };
  return { env, faults: [...misspelt(given), ...emptySettings(env), ...databaseFaults(env), ...more(env)] };
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

/** Settings whose absence selects another database, another folder, or no e-mail: a template that was not filled in must not. */
const NOT_EMPTY = {
  DIRECT_DATABASE_URL: "the URL of a PostgreSQL",
  SHIFTPACT_DATA: "the path of a folder",
  SMTP_URL: "the URL of a mail server",
};

const emptySettings = (env: Env): string[] =>
  Object.entries(NOT_EMPTY)
    .filter(([name]) => env[name] === "")
    .map(([name, value]) => `${name} is empty: unset it, or give ${value}`);

/**
 * Returns the data folder. `env`: checked, so that the setting is not empty.
 * @param flag --data
 * @throws ConfigError when the flag is empty, as of a variable that is not set
 */
export function dataDirOf(env: Env, flag?: string): string {
  if (flag === "") throw new ConfigError([`--data is empty: omit it, or give ${NOT_EMPTY.SHIFTPACT_DATA}`]);
  return flag ?? env.SHIFTPACT_DATA ?? ".shiftpact";
}

/** Long enough that a name which differs in a letter or two belongs to no other program. */
const NAMES: readonly string[] = [
  ...SECRETS.flatMap((name) => [name, `${name}_FILE`]),
  ...["SHIFTPACT_DATA", "ALLOW_INSECURE_PROVIDERS"],
  ...["WEBHOOK_RATE_LIMIT", "PROVIDER_RATE_LIMIT", "UNKNOWN_TOKEN_LIMIT", "SMTP_FROM", "LOG_LEVEL"],
  ...["OFFER_MAIL_MINUTES", "OFFER_MAIL_DAILY_LIMIT"],
  ...["MANAGEMENT_HOST", "MANAGEMENT_PORT", "TRUST_PROXY", "DRAIN_SECONDS"],
  ...["DATABASE_POOL", "AUTO_MIGRATE"],
  ...Object.keys(RETENTION).map((key) => `RETAIN_${key.toUpperCase()}_DAYS`),
];

/** A misspelt setting would be ignored in silence: with DATABSE_URL the platform would start on an empty database. */
function misspelt(env: Env): string[] {
  return Object.keys(env).flatMap((name) => {
    if (NAMES.includes(name)) return [];
    const [meant] = NAMES.filter((each) => distance(name, each) <= 2).sort(
      (one, other) => distance(name, one) - distance(name, other),
    );
    return meant === undefined ? [] : [`${name} is not a setting of the platform; did you mean ${meant}?`];
  });
}
