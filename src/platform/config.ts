import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { syncOne } from "./db/sync.ts";

/** What the platform process is told from outside. */
export interface Config {
  /** 0: any free one. */
  port: number;
  /** PostgreSQL. Unset: embedded, in `dataDir`. */
  databaseUrl: string | undefined;
  dataDir: string;
  operationsToken: string;
  /** 32 bytes. */
  secretKey: Buffer;
  allowInsecureProviders: boolean;
  /** Events a minute for each providerId; 0: no limit. */
  webhookRateLimit: number;
  /** Calls a minute to each provider, a fiftieth of it a second; 0: no limit; unset: 500 (DECISIONS, "rate limits"). */
  providerRateLimit?: number;
  logLevel: string;
  /** How notifications leave the house; unset: they are only shown. */
  mail?: { url: string; from: string };
}

/** One clear line for each value that is missing or wrong. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.faults = faults;
  }
}

const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

/**
 * Reads the environment. OPERATIONS_TOKEN and SECRET_KEY are made and kept in the data folder when they are unset and the database is
 * embedded; with DATABASE_URL they are required, because several processes must share them.
 * @param sync writes a file, or the names in a folder, through to the disk.
 * @throws ConfigError
 */
export function readConfig(
  env: NodeJS.ProcessEnv,
  overrides: { port?: number; dataDir?: string } = {},
  sync: (path: string) => void = syncOne,
): Config {
  const faults: string[] = [];
  const databaseUrl = env.DATABASE_URL || undefined;
  const dataDir = overrides.dataDir ?? (env.SHIFTPACT_DATA || ".shiftpact");
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    faults.push("DATABASE_URL must start with postgres:// or postgresql://");
  }
  const config = {
    port: overrides.port ?? readInteger(env, "PORT", 3000, 65_535, faults),
    databaseUrl,
    dataDir,
    allowInsecureProviders: readSwitch(env, "ALLOW_INSECURE_PROVIDERS", faults),
    webhookRateLimit: readInteger(env, "WEBHOOK_RATE_LIMIT", 600, 1_000_000, faults),
    providerRateLimit: readInteger(env, "PROVIDER_RATE_LIMIT", 500, 1_000_000, faults),
    logLevel: readLogLevel(env, faults),
    ...readMail(env, faults),
  };
  checkSecrets(env, databaseUrl !== undefined, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  return { ...config, ...readSecrets(env, { dataDir, sync }) };
}

function readInteger(
  env: NodeJS.ProcessEnv,
  name: string,
  fallback: number,
  most: number,
  faults: string[],
): number {
  const text = env[name];
  if (text === undefined || text === "") return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= most) return value;
  faults.push(`${name} must be a whole number from 0 to ${most}`);
  return fallback;
}

function readSwitch(env: NodeJS.ProcessEnv, name: string, faults: string[]): boolean {
  const text = env[name] ?? "";
  if (!["", "0", "1"].includes(text)) faults.push(`${name} must be 0 or 1`);
  return text === "1";
}

function readLogLevel(env: NodeJS.ProcessEnv, faults: string[]): string {
  const level = env.LOG_LEVEL || "info";
  if (!LOG_LEVELS.includes(level)) faults.push(`LOG_LEVEL must be one of ${LOG_LEVELS.join(", ")}`);
  return level;
}

/** The faults name no value: the URL holds a password. */
function readMail(
  { SMTP_URL: url, SMTP_FROM: from }: NodeJS.ProcessEnv,
  faults: string[],
): Pick<Config, "mail"> {
  if (!url) return {};
  if (!isSmtpUrl(url)) {
    faults.push(
      "SMTP_URL must be smtp://host:port or smtps://host:port, with user:password@ before the host if it asks",
    );
  }
  if (from && /^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]{1,250}$/.test(from)) return { mail: { url, from } };
  faults.push(
    from
      ? "SMTP_FROM must be a bare address, such as shifts@example.com"
      : "SMTP_FROM is required with SMTP_URL",
  );
  return {};
}

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

function checkSecrets(env: NodeJS.ProcessEnv, isShared: boolean, faults: string[]): void {
  const { OPERATIONS_TOKEN: token, SECRET_KEY: key } = env;
  if (isShared && !token) faults.push("OPERATIONS_TOKEN is required with DATABASE_URL");
  if (isShared && !key)
    faults.push("SECRET_KEY is required with DATABASE_URL: openssl rand -base64 32 makes one");
  if (token && !TOKEN.test(token)) {
    faults.push("OPERATIONS_TOKEN must be at least 16 printable characters without spaces");
  }
  if (key && !KEY.test(key)) faults.push("SECRET_KEY must be 32 bytes in base64");
}

const TOKEN = /^[\x21-\x7e]{16,}$/;
/** 32 bytes in base64 or base64url. Node's decoder passes over what is neither, and would make a key of anything. */
const KEY = /^[\w+/-]{43}=?$/;

interface Keeping {
  dataDir: string;
  sync: (path: string) => void;
}

function readSecrets(
  env: NodeJS.ProcessEnv,
  keeping: Keeping,
): Pick<Config, "operationsToken" | "secretKey"> {
  const operationsToken =
    env.OPERATIONS_TOKEN ||
    kept(keeping, "operations-token", TOKEN, () => randomBytes(24).toString("base64url"));
  const secretKey =
    env.SECRET_KEY || kept(keeping, "secret-key", KEY, () => randomBytes(32).toString("base64"));
  return { operationsToken, secretKey: Buffer.from(secretKey, "base64") };
}

/**
 * The secret in this file of the data folder, which is made when there is none; readable by the owner only.
 * A file that holds something else is left alone: it may be the only key to what is sealed.
 * @throws ConfigError
 */
function kept(keeping: Keeping, name: string, form: RegExp, make: () => string): string {
  const { dataDir } = keeping;
  const path = join(dataDir, name);
  try {
    const secret = readKept(path) ?? makeKept(path, keeping, make());
    if (form.test(secret)) return secret;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`the data folder ${dataDir} cannot be used: ${code} at ${path}`]);
  }
  throw new ConfigError([`${path} is damaged: restore it, or remove it to have a new one made`]);
}

function readKept(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whatever cuts the start short, the file is there with all that it holds, or it is not there. */
function makeKept(path: string, { dataDir, sync }: Keeping, secret: string): string {
  makeFolder(dataDir, sync);
  const draft = `${path}.${randomBytes(4).toString("hex")}.draft`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600, flag: "wx" });
    sync(draft);
    // Of two processes that start at once, one makes it and the other fails here: renaming would replace what is in use.
    linkSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
  sync(dataDir);
  return secret;
}

function makeFolder(dataDir: string, sync: Keeping["sync"]): void {
  const first = mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const above = dirname(resolve(first));
  let made = resolve(dataDir);
  while (made !== above) {
    made = dirname(made);
    sync(made);
  }
}
