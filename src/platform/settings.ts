import { SECOND_MS } from "../contract/timestamp.ts";
import {
  type Env,
  flag,
  folder,
  type Kind,
  keys,
  language,
  mailAddress,
  oneOf,
  place,
  postgresUrl,
  proxies,
  publicUrl,
  sender,
  smtpUrl,
  token,
  webhookSecrets,
  webhookUrl,
  wholeNumber,
} from "./setting-kinds.ts";

/** One setting of the platform. Texts are Markdown, for `--help` and for spec/guides/settings.md. */
export interface Setting<Value> {
  kind: Kind<Value>;
  /** As it would be written. */
  default?: string;
  /** What holds when it has neither a value nor a default. */
  unset?: string;
  /** What it does, in sentences. */
  help: string;
  /** May also be given as a file, with `NAME_FILE`. */
  isSecret?: true;
  /** Without that setting this one has no effect, and is not checked. */
  usedWith?: string;
  /** Refused when it is empty, with this advice: its absence selects another database, another folder, or no mail. */
  whenEmpty?: string;
}

const LIMIT = wholeNumber(0, 1_000_000);
const DAYS = wholeNumber(0, 36_500, { unit: "days" });

/** Every setting, by chapter of the documentation. */
export const CHAPTERS = {
  "Address and port": {
    PORT: {
      kind: place,
      default: "3000",
      help: "The port to listen on, or `HOST:PORT`. Without a host it is 127.0.0.1; `0.0.0.0:3000` accepts connections from other machines. 0: any free port.",
    },
    MANAGEMENT_PORT: {
      kind: place,
      unset: "`PORT` serves `/metrics`, which needs a token unless the request comes from this machine",
      help: "A second port, or `HOST:PORT` if the host is not that of `PORT`, which serves the health checks, and `/metrics` without a token. `PORT` then no longer serves `/metrics`. 0: any free port.",
    },
    PUBLIC_PORT: {
      kind: place,
      unset: "`PORT` serves everything",
      help: "A port, or `HOST:PORT`, for the internet, which serves webhooks, the pages for candidates and the health checks, and nothing else. The proxy sends all public requests there, and none to `PORT`, which keeps serving everything. 0: any free port.",
    },
    PUBLIC_URL: {
      kind: publicUrl,
      unset: "notifications to candidates have no links",
      help: "Where candidates reach the pages at `/c/`, which `PORT` and `PUBLIC_PORT` serve. Mails and the webhook for notifications link them.",
    },
    TRUST_PROXY: {
      kind: proxies,
      unset: "the client is the other end of the connection",
      help: "The reverse proxies whose `X-Forwarded-For` is trusted: their number, or their addresses and subnets, separated by commas. `loopback`, `linklocal` and `uniquelocal` name subnets, and trust every client in them: `uniquelocal` is every private address.",
    },
    DRAIN_SECONDS: {
      kind: wholeNumber(0, 300, { unit: "seconds", length: SECOND_MS }),
      default: "5",
      help: "How long the process keeps serving after SIGTERM. Meanwhile `/health/ready` answers 503, so that the load balancer stops sending requests.",
    },
  },
  Database: {
    DATABASE_URL: {
      kind: postgresUrl,
      isSecret: true,
      unset: "an embedded PostgreSQL in the data folder, used by one process",
      whenEmpty: "unset it for the embedded database, or give the URL of a PostgreSQL",
      help: "The PostgreSQL database. One address: of the server, or of haproxy or PgBouncer before it; `sslmode` selects TLS.",
    },
    DIRECT_DATABASE_URL: {
      kind: postgresUrl,
      isSecret: true,
      whenEmpty: "unset it, or give the URL of a PostgreSQL",
      help: "The URL of the same database without the pooler. Required when `DATABASE_URL` leads to a pooler in transaction mode.",
    },
    DATABASE_POOL: {
      kind: wholeNumber(2, 1_000, { unit: "connections" }),
      default: "20",
      help: "The most connections that a process opens for work. It opens 5 more: 4 to store webhooks and 1 to LISTEN.",
    },
    AUTO_MIGRATE: {
      kind: flag,
      default: "1",
      help: "1: the start migrates an old schema. 0: the start fails on an old schema; run `shiftpact migrate` first.",
    },
    SHIFTPACT_DATA: {
      kind: folder,
      default: ".shiftpact",
      whenEmpty: "unset it, or give the path of a folder",
      help: "The data folder, with the embedded database and the generated secrets. Not used with `DATABASE_URL`.",
    },
  },
  Secrets: {
    OPERATIONS_TOKEN: {
      kind: token,
      isSecret: true,
      unset: "generated and kept in the data folder",
      help: "A token with every right to the operations API and the console.",
    },
    SECRET_KEY: {
      kind: keys,
      isSecret: true,
      unset: "generated and kept in the data folder",
      help: "Encrypts personal numbers and provider tokens. Of several, while the key is being changed, the first one encrypts, and all decrypt. The start fails if the stored data was encrypted with another key.",
    },
  },
  "Rate limits": {
    WEBHOOK_RATE_LIMIT: {
      kind: LIMIT,
      default: "6000",
      help: "Webhooks per minute from each organisation (`providerId`), at each process. Further webhooks get 429. 0: no limit.",
    },
    PROVIDER_RATE_LIMIT: {
      kind: LIMIT,
      default: "500",
      help: "Calls per minute to the provider of each organisation, divided by the number of processes. At most 2% of them (10 of 500) start within one second, among several processes 4%. 0: no limit.",
    },
  },
  Retention: {
    RETAIN_JOBS_DAYS: {
      kind: DAYS,
      default: "730",
      help: "How long jobs are kept after their shift has ended, with their bookings, changes and notifications; also the records of deleted shifts.",
    },
    RETAIN_NOTIFICATIONS_DAYS: {
      kind: DAYS,
      default: "365",
      help: "How long notifications are kept after their shift has ended.",
    },
  },
  "E-mail": {
    SMTP_URL: {
      kind: smtpUrl,
      isSecret: true,
      unset: "notifications are shown in the console but not mailed",
      whenEmpty: "unset it, or give the URL of a mail server",
      help: "The mail server for notifications, such as `smtps://user:password@mail.example.com:465`. With a password, `smtp://` requires TLS.",
    },
    SMTP_FROM: {
      kind: sender,
      usedWith: "SMTP_URL",
      help: "The sender of every mail, with the company's name: a mail of an organisation comes from `ORGANISATION via NAME`, without a name from `ORGANISATION via DOMAIN`.",
    },
    SMTP_REPLY_TO: {
      kind: mailAddress,
      usedWith: "SMTP_URL",
      unset: "answers go to the address of `SMTP_FROM`",
      help: "Where the answers of candidates go: an address that people read.",
    },
    CANDIDATE_LANGUAGE: {
      kind: language,
      default: "en",
      help: "The language of mails and pages for candidates, unless the candidate or the organisation has one.",
    },
    OFFER_WAVE_SIZE: {
      kind: wholeNumber(0, 10_000, { unit: "people" }),
      default: "0",
      help: "How many people a shift is offered to at a time, in waves 30 minutes apart. 12 hours before the start, it is offered to all who are left. 0: to all at once.",
    },
  },
  "Webhook for notifications": {
    NOTIFICATION_WEBHOOK_URL: {
      kind: webhookUrl,
      isSecret: true,
      unset: "notifications are mailed, and shown in the console",
      whenEmpty: "unset it, or give the URL of the service",
      help: "A service of the company's own that gets each notification beside the mail, to deliver it by SMS or chat. With `ALLOW_INSECURE_PROVIDERS=1` it may be plain HTTP or a private address.",
    },
    NOTIFICATION_WEBHOOK_SECRETS: {
      kind: webhookSecrets,
      isSecret: true,
      usedWith: "NOTIFICATION_WEBHOOK_URL",
      help: "The secrets that sign these requests (Standard Webhooks). Several during a change: each signs.",
    },
  },
  Alerts: {
    ALERT_EMAIL: {
      kind: mailAddress,
      usedWith: "SMTP_URL",
      unset: "alerts are not mailed",
      help: "Where operators are alerted of urgent issues with a new cause, once for each cause.",
    },
  },
  "Logs and development": {
    LOG_LEVEL: {
      kind: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
      default: "info",
      help: "The lowest level that is logged to stderr. The commands beside `platform` log at `warn` unless it is set.",
    },
    ALLOW_INSECURE_PROVIDERS: {
      kind: flag,
      default: "0",
      help: "1: providers may use plain HTTP and private addresses. For development only.",
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>>;

type Chapter = (typeof CHAPTERS)[keyof typeof CHAPTERS];
type NamesIn<C> = C extends unknown ? keyof C : never;
type EntryIn<C, Name extends PropertyKey> = C extends Readonly<Record<Name, infer Entry>> ? Entry : never;

export type SettingName = NamesIn<Chapter>;

type Entry<Name extends SettingName> = EntryIn<Chapter, Name>;
type ValueOf<Name extends SettingName> =
  | ReturnType<Entry<Name>["kind"]["read"]>
  | (Entry<Name> extends { default: string } ? never : undefined);

export const SETTINGS: Readonly<Record<SettingName, Setting<unknown>>> = Object.assign(
  {},
  ...Object.values(CHAPTERS),
);

export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** Of all commands that open the database. */
export const DATABASE_SETTINGS = Object.keys(CHAPTERS.Database) as readonly SettingName[];

/** Returns the value of a setting, or its default if it is unset or empty. @param env checked, with secrets read from their files */
export function settingOf<Name extends SettingName>(env: Env, name: Name): ValueOf<Name> {
  const { kind, default: unset }: Setting<unknown> = SETTINGS[name];
  const text = env[name] || unset;
  return (text === undefined ? undefined : kind.read(text)) as ValueOf<Name>;
}

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

export const SETTING_RULES: readonly SettingRule[] = [
  {
    setting: "DIRECT_DATABASE_URL",
    note: "only with `DATABASE_URL`",
    refusal: "DIRECT_DATABASE_URL needs DATABASE_URL beside it",
    isBroken: (env) => Boolean(env.DIRECT_DATABASE_URL && !env.DATABASE_URL),
  },
  // The data folder keeps them for one process; processes that share a database must share them too.
  requiredWith("OPERATIONS_TOKEN", "DATABASE_URL", "openssl rand -base64 24 makes one"),
  requiredWith("SECRET_KEY", "DATABASE_URL", "openssl rand -base64 32 makes one"),
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

/** How many days data is kept. */
export interface Retention {
  /** Events after their arrival, for which repeated webhooks are recognised. */
  events: number;
  /** Trace steps. */
  traces: number;
  /** Jobs after the end of their shift, with their bookings, changes and notifications. */
  jobs: number;
  /** Notifications of shifts that are over. */
  notifications: number;
  /** Issues after they were resolved. */
  issues: number;
}

/** What no law asks for has no setting: a month to look into what happened, a year to see what comes back. */
const FIXED = { events: 30, traces: 30, issues: 365 };

export const readRetention = (env: Env): Retention => ({
  ...FIXED,
  jobs: settingOf(env, "RETAIN_JOBS_DAYS"),
  notifications: settingOf(env, "RETAIN_NOTIFICATIONS_DAYS"),
});

/** Unless set otherwise. */
export const RETENTION = readRetention({});
