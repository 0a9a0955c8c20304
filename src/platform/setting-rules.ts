import type { Env } from "./setting-kinds.ts";
import type { SettingName } from "./settings.ts";

/** What one setting requires of another. */
export interface SettingRule {
  /** The rule belongs to this setting: every command that reads it checks the rule. */
  setting: SettingName;
  /** For the documentation of the setting. */
  note: string;
  refusal: string;
  isBroken: (env: Env) => boolean;
}

function requiredWith(setting: SettingName, other: SettingName, advice: string): SettingRule {
  return {
    setting,
    note: `required with \`${other}\``,
    refusal: `${setting} is required with ${other}: ${advice}`,
    isBroken: (env) => Boolean(env[other] && !env[setting]),
  };
}

/** Of two settings for the same thing; the other one is described as a replacement. */
const notWith = (setting: SettingName, other: SettingName): SettingRule => ({
  setting,
  note: `not with \`${other}\``,
  refusal: `${setting} and ${other} are both set: keep one of them`,
  isBroken: (env) => Boolean(env[setting] && env[other]),
});

const secretKey = requiredWith("SECRET_KEY", "DATABASE_URL", "openssl rand -base64 32 makes one");

export const SETTING_RULES: readonly SettingRule[] = [
  {
    setting: "DIRECT_DATABASE_URL",
    note: "only with `DATABASE_URL`",
    refusal: "DIRECT_DATABASE_URL needs DATABASE_URL beside it",
    isBroken: (env) => Boolean(env.DIRECT_DATABASE_URL && !env.DATABASE_URL),
  },
  // The data folder keeps them for one process; processes that share a database must share them too.
  requiredWith("OPERATIONS_TOKEN", "DATABASE_URL", "openssl rand -base64 24 makes one"),
  { ...secretKey, isBroken: (env) => secretKey.isBroken(env) && !env.SECRET_KEYS },
  notWith("SECRET_KEY", "SECRET_KEYS"),
  requiredWith(
    "NOTIFICATION_WEBHOOK_SECRETS",
    "NOTIFICATION_WEBHOOK_URL",
    'echo "whsec_$(openssl rand -base64 32)" makes one',
  ),
  requiredWith("SMTP_FROM", "SMTP_URL", "give the address of the sender"),
];

/** Returns the notes of the rules that belong to a setting. */
export const notesOf = (name: SettingName): string[] =>
  SETTING_RULES.filter(({ setting }) => setting === name).map(({ note }) => note);
