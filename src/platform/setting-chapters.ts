import { MINUTE_MS, SECOND_MS } from "../contract/durations.ts";
import { URGENCIES } from "../contract/issue-urgency.ts";
import {
  flag,
  folder,
  type Kind,
  key,
  keys,
  language,
  listenAddress,
  mailAddress,
  oneOf,
  platformUrl,
  postgresUrl,
  proxies,
  publicUrl,
  senderName,
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

const PORT = wholeNumber(0, 65_535);
const LIMIT = wholeNumber(0, 1_000_000);
const days = (least: number, reason = "") => wholeNumber(least, 36_500, { unit: "days", reason });

/** Every setting, by chapter of the documentation. */
export const CHAPTERS = {
  "Address and port": {
    HOST: {
      kind: listenAddress,
      default: "127.0.0.1",
      help: "The address to listen on. `0.0.0.0` accepts connections from other machines.",
    },
    PORT: { kind: PORT, default: "3000", help: "The port to listen on. 0: any free port." },
    MANAGEMENT_PORT: {
      kind: PORT,
      unset: "`PORT` serves `/metrics`, which needs a token unless the request comes from this machine",
      help: "A second port, which serves the health checks, and `/metrics` without a token. `PORT` then no longer serves `/metrics`. 0: any free port.",
    },
    MANAGEMENT_HOST: {
      kind: listenAddress,
      unset: "that of `HOST`",
      help: "The address of `MANAGEMENT_PORT`.",
    },
    PUBLIC_PORT: {
      kind: PORT,
      unset: "`PORT` serves everything",
      help: "A port for the internet, which serves webhooks, the pages for candidates and the health checks, and nothing else. The proxy sends all public requests there, and none to `PORT`, which keeps serving everything. 0: any free port.",
    },
    PUBLIC_HOST: {
      kind: listenAddress,
      unset: "that of `HOST`",
      help: "The address of `PUBLIC_PORT`.",
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
      help: "The PostgreSQL database. Several hosts are separated by commas, with `target_session_attrs=read-write`; `sslmode` selects TLS.",
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
      kind: key,
      isSecret: true,
      unset: "generated and kept in the data folder",
      help: "Encrypts personal numbers and provider tokens. The start fails if the stored data was encrypted with another key.",
    },
    SECRET_KEYS: {
      kind: keys,
      isSecret: true,
      help: "Several keys instead of `SECRET_KEY`, while the key is being changed: the first one encrypts, all decrypt.",
    },
  },
  "Rate limits": {
    WEBHOOK_RATE_LIMIT: {
      kind: LIMIT,
      default: "6000",
      help: "Webhooks per minute from each organisation (`providerId`), over all processes. Further webhooks get 429. 0: no limit.",
    },
    PROVIDER_RATE_LIMIT: {
      kind: LIMIT,
      default: "500",
      help: "Calls per minute to the provider of each organisation, over all processes. At most 2% of them (10 of 500) start within one second. 0: no limit.",
    },
    UNKNOWN_TOKEN_LIMIT: {
      kind: LIMIT,
      default: "30",
      help: "Requests per minute with an unknown token from each client address, in each process. Further unknown tokens from that address get 429, and from all addresses after ten times as many. 0: no limit.",
    },
  },
  Retention: {
    RETAIN_EVENTS_DAYS: {
      kind: days(30, "repeated webhooks are recognised for that long"),
      default: "30",
      help: "How long events are kept after they were received. Repeated webhooks are recognised for that long, so 30 days are the minimum.",
    },
    RETAIN_TRACES_DAYS: {
      kind: days(0),
      default: "30",
      help: "How long the steps of traces are kept.",
    },
    RETAIN_JOBS_DAYS: {
      kind: days(0),
      default: "730",
      help: "How long jobs are kept after their shift has ended, with their bookings, changes and notifications; also the records of deleted shifts.",
    },
    RETAIN_NOTIFICATIONS_DAYS: {
      kind: days(0),
      default: "365",
      help: "How long notifications are kept after their shift has ended.",
    },
    RETAIN_ISSUES_DAYS: {
      kind: days(0),
      default: "365",
      help: "How long issues are kept after they were resolved.",
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
      kind: mailAddress,
      usedWith: "SMTP_URL",
      help: "The sender of every mail.",
    },
    SMTP_FROM_NAME: {
      kind: senderName,
      usedWith: "SMTP_URL",
      unset: "the domain of `SMTP_FROM`",
      help: "The company's name: a mail of an organisation comes from `ORGANISATION via NAME`.",
    },
    SMTP_REPLY_TO: {
      kind: mailAddress,
      usedWith: "SMTP_URL",
      unset: "answers go to `SMTP_FROM`",
      help: "Where the answers of candidates go: an address that people read.",
    },
    CANDIDATE_LANGUAGE: {
      kind: language,
      default: "en",
      help: "The language of mails and pages for candidates, unless the candidate or the organisation has one.",
    },
    OFFER_MAIL_MINUTES: {
      kind: wholeNumber(0, 1_440, { unit: "minutes", length: MINUTE_MS }),
      default: "10",
      help: "The minimum time between two mails with offers to one person. Offers in between are collected into one digest; an offer of a shift that starts within 12 hours does not wait. 0: no wait.",
    },
    OFFER_MAIL_DAILY_LIMIT: {
      kind: wholeNumber(0, 1_000, { unit: "mails" }),
      default: "10",
      help: "The most mails with offers to one person within 24 hours. An offer of a shift that starts within 12 hours does not wait. 0: no limit.",
    },
    OFFER_WAVE_SIZE: {
      kind: wholeNumber(0, 10_000, { unit: "people" }),
      default: "0",
      help: "How many people a shift is offered to at a time, in waves. 12 hours before the start, it is offered to all who are left. 0: to all at once.",
    },
    OFFER_WAVE_MINUTES: {
      kind: wholeNumber(1, 10_080, { unit: "minutes", length: MINUTE_MS }),
      default: "30",
      help: "The pause between two waves of offers, from the last mail of the first one. The next one goes out earlier once all of the first have declined.",
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
      help: "Where operators are alerted of issues with a new cause, once for each cause.",
    },
    ALERT_SEVERITY: {
      kind: oneOf(...URGENCIES),
      default: "urgent",
      help: "The lowest severity of issues that operators are alerted of, by mail to `ALERT_EMAIL` and by the webhook of `NOTIFICATION_WEBHOOK_URL`.",
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
  "Other commands": {
    SHIFTPACT_URL: {
      kind: platformUrl,
      default: "http://127.0.0.1:3000",
      help: "The platform whose operators `shiftpact operators` manages.",
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Setting<unknown>>>>>;
