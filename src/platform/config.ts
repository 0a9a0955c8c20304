import { join } from "node:path";
import { MINUTE_MS } from "../contract/timestamp.ts";
import { type Database, type Log, openDatabase } from "./db/database.ts";
import { syncOne } from "./db/pglite/folder.ts";
import type { FeatureSettings, OfferMailLimits } from "./deps.ts";
import { ConfigError, checkEnvironment, dataDirOf } from "./environment.ts";
import { readSecrets, type Secrets } from "./kept-secrets.ts";
import type { Env } from "./setting-kinds.ts";
import { type Retention, readRetention, SETTING_NAMES, type SettingName, settingOf } from "./settings.ts";

/** The settings of a platform process. */
export interface Config extends DatabaseConfig, Secrets, FeatureSettings {
  /** The address to listen on: 127.0.0.1 unless given, so that the platform is reachable from outside only on purpose. */
  host: string;
  /** 0: any free one. */
  port: number;
  /** A second listener for /metrics and the health checks, which then serves /metrics without a token; 0: any free port. */
  management?: { host: string; port: number };
  /** A listener for the internet: webhooks and the health checks alone; 0: any free port. */
  publicPlace?: { host: string; port: number };
  /** Express's `trust proxy`: how many proxies to trust, or their addresses; unset: the client is the other end of the connection. */
  trustProxy?: number | string[];
  /** For how long the command still serves after SIGTERM, while it reports that it is not ready. Milliseconds. */
  drainMs: number;
  dataDir: string;
  allowInsecureProviders: boolean;
  /** Events a minute for each providerId, of which each process allows its share; 0: no limit. */
  webhookRateLimit: number;
  /** Calls a minute to each provider, of all processes; 0: no limit. */
  providerRateLimit: number;
  /** Unknown tokens a minute from each client address, in each process; 0: no limit. */
  unknownTokenLimit: number;
  logLevel: string;
  /** Days. */
  retention: Retention;
  /** The company's own service that gets notifications. */
  webhook?: { url: string; secrets: readonly Buffer[] };
  /** How notifications are mailed; unset: they are only shown. */
  mail?: MailSettings;
}

/** A person who mistypes stays below it, and a program that guesses gets nowhere. A minute, from each address. */
const UNKNOWN_TOKENS = 30;
/** Shifts are announced one by one: a month of them at once would otherwise be hundreds of mails to each person. */
const OFFER_MAIL: OfferMailLimits = { everyMs: 10 * MINUTE_MS, perDay: 10 };
/** Long enough to read a mail and to answer it before the next people get one. */
const WAVE_PAUSE_MS = 30 * MINUTE_MS;

/** How notifications are mailed. */
export interface MailSettings {
  /**
   * `smtp://` or `smtps://`, with user and password percent-encoded. `smtp://` uses STARTTLS if the server offers it, and requires it when there is
   * a password and the server is on another machine.
   */
  url: string;
  /** A bare address. */
  from: string;
  /** Of the company. Otherwise the domain of `from`. */
  fromName?: string;
  /** Where answers go, if not to `from`. */
  replyTo?: string;
  /** The time limit of one mail, to the server's last reply. Milliseconds. */
  timeoutMs?: number;
}

/**
 * Reads the environment; secrets may be in files (`OPERATIONS_TOKEN_FILE`). OPERATIONS_TOKEN and SECRET_KEY are made and kept in the data
 * folder when they are unset and the database is embedded; with DATABASE_URL they are required, because several processes must share them.
 * @param sync writes a file, or the names in a folder, through to the disk.
 * @throws ConfigError
 */
export function readConfig(
  given: NodeJS.ProcessEnv,
  { dataDir: folder, ...flags }: { host?: string; port?: number; dataDir?: string } = {},
  sync: (path: string) => void = syncOne,
): Config {
  const { env, faults } = checkEnvironment(given, SETTING_NAMES);
  if (faults.length > 0) throw new ConfigError(faults);
  const dataDir = dataDirOf(env, folder);
  const of = <Name extends SettingName>(name: Name) => settingOf(env, name);
  const { host, port } = { host: "127.0.0.1", ...of("PORT"), ...flags };
  const [management, publicPlace] = [of("MANAGEMENT_PORT"), of("PUBLIC_PORT")];
  const trustProxy = of("TRUST_PROXY");
  const publicUrl = of("PUBLIC_URL");
  const [url, sender, replyTo] = [of("SMTP_URL"), of("SMTP_FROM"), of("SMTP_REPLY_TO")];
  const alertEmail = of("ALERT_EMAIL");
  const [webhookUrl, secrets] = [of("NOTIFICATION_WEBHOOK_URL"), of("NOTIFICATION_WEBHOOK_SECRETS")];
  return {
    host,
    port,
    ...(management && { management: { host, ...management } }),
    ...(publicPlace && { publicPlace: { host, ...publicPlace } }),
    ...(trustProxy !== undefined && { trustProxy }),
    drainMs: of("DRAIN_SECONDS"),
    ...readDatabaseConfig(env),
    dataDir,
    allowInsecureProviders: of("ALLOW_INSECURE_PROVIDERS"),
    webhookRateLimit: of("WEBHOOK_RATE_LIMIT"),
    providerRateLimit: of("PROVIDER_RATE_LIMIT"),
    unknownTokenLimit: UNKNOWN_TOKENS,
    offerMail: OFFER_MAIL,
    offerWaves: { size: of("OFFER_WAVE_SIZE"), pauseMs: WAVE_PAUSE_MS },
    language: of("CANDIDATE_LANGUAGE"),
    ...(publicUrl !== undefined && { publicUrl }),
    logLevel: of("LOG_LEVEL"),
    retention: readRetention(env),
    ...(url && sender && { mail: { url, ...sender, ...(replyTo && { replyTo }) } }),
    ...(webhookUrl && secrets && { webhook: { url: webhookUrl, secrets } }),
    alerts: { severity: "urgent", ...(alertEmail && { email: alertEmail }) },
    ...readSecrets(env, { dataDir, sync }),
  };
}

/** Which database, and how it is used. */
export interface DatabaseConfig {
  /** PostgreSQL. Unset: embedded, in the data folder. */
  databaseUrl: string | undefined;
  /** Reaches PostgreSQL without the pooler in transaction mode that `databaseUrl` leads to. */
  directDatabaseUrl?: string;
  /** The most connections for work, beside those of the inbox and LISTEN. */
  databasePool?: number;
  /** False: a schema that is too old stops the start. */
  autoMigrate?: boolean;
}

export function readDatabaseConfig(env: Env): DatabaseConfig {
  const directDatabaseUrl = settingOf(env, "DIRECT_DATABASE_URL");
  return {
    databaseUrl: settingOf(env, "DATABASE_URL"),
    ...(directDatabaseUrl && { directDatabaseUrl }),
    databasePool: settingOf(env, "DATABASE_POOL"),
    autoMigrate: settingOf(env, "AUTO_MIGRATE"),
  };
}

type Place = DatabaseConfig & { dataDir: string };

/**
 * Opens the database of the settings. Rejects with one clear line when it cannot be used.
 * @param open `openUnmigrated` leaves the schema alone.
 */
export async function openConfigured(
  { databaseUrl: url, directDatabaseUrl: directUrl, databasePool: connections, autoMigrate, dataDir }: Place,
  log: Log,
  open: typeof openDatabase = openDatabase,
): Promise<Database> {
  const where = url ? { url, directUrl, connections } : { dataDir: join(dataDir, "database") };
  return open({ ...where, autoMigrate, log });
}
