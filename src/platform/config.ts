import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, join, resolve } from "node:path";
import { type DatabaseConfig, readDatabaseConfig } from "./database-config.ts";
import { syncOne } from "./db/sync.ts";
import { ConfigError, checkEnvironment, dataDirOf, type Env } from "./environment.ts";
import type { OfferMailLimits } from "./offer-mail.ts";
import { LEAST_EVENT_DAYS, RETENTION, type Retention } from "./retention.ts";

/** The settings of a platform process. */
export interface Config extends DatabaseConfig {
  /** The address to listen on: 127.0.0.1 unless given, so that the platform is reachable from outside only on purpose. */
  host: string;
  /** 0: any free one. */
  port: number;
  /** A second listener for /metrics and the health checks, which then serves /metrics without a token; 0: any free port. */
  management?: { host: string; port: number };
  /** Express's `trust proxy`: how many proxies to trust, or their addresses; unset: the client is the other end of the connection. */
  trustProxy?: number | string[];
  /** For how long the command still serves after SIGTERM, while it reports that it is not ready. Milliseconds. */
  drainMs: number;
  dataDir: string;
  operationsToken: string;
  /** Encrypts stored secrets and personal numbers. 32 bytes. */
  secretKey: Buffer;
  /** Decrypt older data until it is encrypted again with the first key. 32 bytes each. */
  olderSecretKeys?: readonly Buffer[];
  allowInsecureProviders: boolean;
  /** Events a minute for each providerId, of which each process allows its share; 0: no limit. */
  webhookRateLimit: number;
  /** Calls a minute to each provider, a fiftieth of it a second; 0: no limit. */
  providerRateLimit: number;
  /** Unknown tokens a minute from each client address, in each process; 0: no limit. */
  unknownTokenLimit: number;
  logLevel: string;
  /** Days. */
  retention: Retention;
  /** Limits of the mails with offers to one person. */
  offerMail: OfferMailLimits;
  /** How notifications are mailed; unset: they are only shown. */
  mail?: { url: string; from: string };
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/** The default and the largest value. */
const PORT = { unset: 3000, most: 65_535 };
const WEBHOOK_RATE_LIMIT = { unset: 6_000, most: 1_000_000 };
/** A person who mistypes stays far below; a provider with many organisations sends known tokens. */
const UNKNOWN_TOKEN_LIMIT = { unset: 30, most: 1_000_000 };
/** decisions, "rate limits". */
const PROVIDER_RATE_LIMIT = { unset: 500, most: 1_000_000 };
/** The times of a day's mails are kept, so that no window is longer. */
const OFFER_MAIL_MINUTES = { unset: 10, most: 1_440 };
const OFFER_MAIL_DAILY_LIMIT = { unset: 10, most: 1_000 };
const DRAIN_SECONDS = { unset: 5, most: 300 };

/**
 * Reads the environment; secrets may be in files (`OPERATIONS_TOKEN_FILE`). OPERATIONS_TOKEN and SECRET_KEY are made and kept in the data
 * folder when they are unset and the database is embedded; with DATABASE_URL they are required, because several processes must share them.
 * @param sync writes a file, or the names in a folder, through to the disk.
 * @throws ConfigError
 */
export function readConfig(
  given: NodeJS.ProcessEnv,
  overrides: { host?: string; port?: number; dataDir?: string } = {},
  sync: (path: string) => void = syncOne,
): Config {
  const { host: hostFlag, port } = overrides;
  const { env, faults } = checkEnvironment(given, (env) =>
    faultsIn({ ...env, HOST: hostFlag ?? env.HOST, ...(port !== undefined && { PORT: "" }) }),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  const { SMTP_URL: url, SMTP_FROM: from } = env;
  const host = hostFlag ?? (env.HOST || LOCAL);
  const dataDir = dataDirOf(env, overrides.dataDir);
  return {
    host,
    port: port ?? Number(env.PORT || PORT.unset),
    ...(env.MANAGEMENT_PORT && {
      management: { host: env.MANAGEMENT_HOST || host, port: Number(env.MANAGEMENT_PORT) },
    }),
    ...(env.TRUST_PROXY && { trustProxy: proxiesOf(env.TRUST_PROXY) }),
    drainMs: Number(env.DRAIN_SECONDS || DRAIN_SECONDS.unset) * 1_000,
    ...readDatabaseConfig(env),
    dataDir,
    allowInsecureProviders: env.ALLOW_INSECURE_PROVIDERS === "1",
    webhookRateLimit: Number(env.WEBHOOK_RATE_LIMIT || WEBHOOK_RATE_LIMIT.unset),
    providerRateLimit: Number(env.PROVIDER_RATE_LIMIT || PROVIDER_RATE_LIMIT.unset),
    unknownTokenLimit: Number(env.UNKNOWN_TOKEN_LIMIT || UNKNOWN_TOKEN_LIMIT.unset),
    offerMail: {
      everyMs: Number(env.OFFER_MAIL_MINUTES || OFFER_MAIL_MINUTES.unset) * 60_000,
      perDay: Number(env.OFFER_MAIL_DAILY_LIMIT || OFFER_MAIL_DAILY_LIMIT.unset),
    },
    logLevel: env.LOG_LEVEL || "info",
    retention: retentionOf(env),
    ...(url && from && { mail: { url, from } }),
    ...readSecrets(env, { dataDir, sync }),
  };
}

/** What is wrong with the environment. No fault repeats a value: some are secrets, and a URL may hold a password. */
function faultsIn(env: Env): string[] {
  const {
    DATABASE_URL: url,
    OPERATIONS_TOKEN: token,
    SECRET_KEY: key,
    SECRET_KEYS: keys,
    SMTP_URL: smtp,
    SMTP_FROM: from,
  } = env;
  const notInteger = (name: string, { most }: typeof PORT) =>
    [!isInteger(env[name], most), `${name} must be a whole number from 0 to ${most}`] as const;
  const faults: readonly (readonly [isPresent: unknown, fault: string])[] = [
    ...["HOST", "MANAGEMENT_HOST"].map(
      (name) =>
        [!HOST.test(env[name] || LOCAL), `${name} must be an address or a name of this machine`] as const,
    ),
    notInteger("PORT", PORT),
    [!["", "0", "1"].includes(env.ALLOW_INSECURE_PROVIDERS ?? ""), "ALLOW_INSECURE_PROVIDERS must be 0 or 1"],
    notInteger("MANAGEMENT_PORT", PORT),
    [!areProxies(env.TRUST_PROXY || "0"), TRUST_PROXY_FAULT],
    notInteger("DRAIN_SECONDS", DRAIN_SECONDS),
    notInteger("WEBHOOK_RATE_LIMIT", WEBHOOK_RATE_LIMIT),
    notInteger("PROVIDER_RATE_LIMIT", PROVIDER_RATE_LIMIT),
    notInteger("UNKNOWN_TOKEN_LIMIT", UNKNOWN_TOKEN_LIMIT),
    notInteger("OFFER_MAIL_MINUTES", OFFER_MAIL_MINUTES),
    notInteger("OFFER_MAIL_DAILY_LIMIT", OFFER_MAIL_DAILY_LIMIT),
    ...KEPT.map(([name, key]) => notInteger(name, { unset: RETENTION[key], most: 36_500 })),
    [
      Number(env.RETAIN_EVENTS_DAYS || LEAST_EVENT_DAYS) < LEAST_EVENT_DAYS,
      `RETAIN_EVENTS_DAYS must be ${LEAST_EVENT_DAYS} or more: a repeated webhook is recognised for as long`,
    ],
    [!LOG_LEVELS.includes(env.LOG_LEVEL || "info"), `LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}`],
    [smtp && !isSmtpUrl(smtp), SMTP_FAULT],
    [smtp && !from, "SMTP_FROM is required with SMTP_URL"],
    [smtp && from && !ADDRESS.test(from), "SMTP_FROM must be a bare address, such as shifts@example.com"],
    [url && !token, "OPERATIONS_TOKEN is required with DATABASE_URL"],
    [url && !key && !keys, "SECRET_KEY is required with DATABASE_URL: openssl rand -base64 32 makes one"],
    [token && !TOKEN.test(token), "OPERATIONS_TOKEN must be at least 16 printable characters without spaces"],
    [key && !KEY.test(key), "SECRET_KEY must be 32 bytes in base64"],
    [key && keys, "SECRET_KEY and SECRET_KEYS are both set: keep one of them"],
    [
      keys && !secretKeysOf(keys),
      "SECRET_KEYS must be keys of 32 bytes in base64, with commas between them: the first one seals, all open",
    ],
  ];
  return faults.filter(([isPresent]) => isPresent).map(([, fault]) => fault);
}

/** How long what has ended is kept, by setting. */
const KEPT = (["events", "traces", "jobs", "notifications", "issues"] as const).map(
  (key) => [`RETAIN_${key.toUpperCase()}_DAYS`, key] as const,
);

const retentionOf = (env: Env): Retention =>
  Object.fromEntries(KEPT.map(([name, key]) => [key, Number(env[name] || RETENTION[key])])) as Record<
    keyof Retention,
    number
  >;

const LOCAL = "127.0.0.1";
const HOST = /^[\w.:-]+$/;

const TRUST_PROXY_FAULT =
  "TRUST_PROXY must be a number of proxies, or their addresses, subnets or loopback, linklocal and uniquelocal, separated by commas";

const proxiesOf = (text: string): number | string[] =>
  /^\d+$/.test(text) ? Number(text) : text.split(",").map((each) => each.trim());

function areProxies(text: string): boolean {
  const proxies = proxiesOf(text);
  return typeof proxies === "number" ? proxies <= 20 : proxies.every(isProxy);
}

function isProxy(text: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(text)) return true;
  const [address = "", bits, ...rest] = text.split("/");
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    rest.length === 0 && most >= 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
  );
}

const isInteger = (text = "", most: number) => /^\d*$/.test(text) && Number(text) <= most;

const SMTP_FAULT =
  "SMTP_URL must be smtp://host:port or smtps://host:port, with user:password@ before the host if it asks";
const ADDRESS = /^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]{1,250}$/;

function isSmtpUrl(text: string): boolean {
  try {
    const { protocol, hostname, username, password } = new URL(text);
    // Throws on a percent sign that encodes nothing.
    decodeURIComponent(username + password);
    return (protocol === "smtp:" || protocol === "smtps:") && hostname !== "";
  } catch {
    return false;
  }
}

const TOKEN = /^[\x21-\x7e]{16,}$/;
/** 32 bytes in base64 or base64url. Node's decoder skips any other character, and would make a key of anything. */
const KEY = /^[\w+/-]{43}=?$/;

/** SECRET_KEYS, or SECRET_KEY: the first one seals, all open. Undefined: one of them is not a key. */
export function secretKeysOf(text: string): [Buffer, ...Buffer[]] | undefined {
  const keys = text.split(",").map((key) => key.trim());
  const [first, ...older] = keys.map((key) => Buffer.from(key, "base64"));
  return first && keys.every((key) => KEY.test(key)) ? [first, ...older] : undefined;
}

interface SecretFolder {
  dataDir: string;
  sync: (path: string) => void;
}

function readSecrets(
  env: NodeJS.ProcessEnv,
  folder: SecretFolder,
): Pick<Config, "operationsToken" | "secretKey" | "olderSecretKeys"> {
  const operationsToken =
    env.OPERATIONS_TOKEN ||
    readOrCreateSecret(folder, "operations-token", TOKEN, () => randomBytes(24).toString("base64url"));
  const keys =
    env.SECRET_KEYS ||
    env.SECRET_KEY ||
    readOrCreateSecret(folder, "secret-key", KEY, () => randomBytes(32).toString("base64"));
  const [secretKey = Buffer.alloc(0), ...olderSecretKeys] = secretKeysOf(keys) ?? [];
  return { operationsToken, secretKey, ...(olderSecretKeys.length > 0 && { olderSecretKeys }) };
}

/**
 * The secret in this file of the data folder, which is created when missing; readable by the owner only.
 * A file that holds something else is left alone: it may be the only key to the sealed values.
 * @throws ConfigError
 */
function readOrCreateSecret(folder: SecretFolder, name: string, form: RegExp, make: () => string): string {
  const { dataDir } = folder;
  const path = join(dataDir, name);
  try {
    const secret = readKept(path) ?? makeKept(path, folder, make());
    if (form.test(secret)) return secret;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`the data folder ${dataDir} cannot be used: ${code} at ${path}`]);
  }
  throw new ConfigError([`${path} is damaged: restore it, or remove it to have a new one made`]);
}

/**
 * Returns the secrets of the environment or, if they are kept there, of the data folder; none is made.
 * @param env as `readEnvironment` returns it
 */
export function keptSecrets(
  env: Env,
  dataDir: string,
): { operationsToken: string | undefined; secretKeys: string | undefined } {
  return {
    operationsToken: env.OPERATIONS_TOKEN || readKept(join(dataDir, "operations-token")),
    secretKeys: env.SECRET_KEYS || env.SECRET_KEY || readKept(join(dataDir, "secret-key")),
  };
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** However the start is interrupted, the file is either complete or absent. */
function makeKept(path: string, { dataDir, sync }: SecretFolder, secret: string): string {
  makeFolder(dataDir, sync);
  const draft = `${path}.${randomBytes(4).toString("hex")}.draft`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flag: "wx" });
    sync(draft);
    // Of two processes that start at once, one creates it and the other fails here; renaming would replace a secret in use.
    linkSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  sync(dataDir);
  return secret;
}

function makeFolder(dataDir: string, sync: SecretFolder["sync"]): void {
  const first = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  let made = resolve(dataDir);
  while (made !== above) {
    made = dirname(made);
    sync(made);
  }
}
