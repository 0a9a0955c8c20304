import { randomBytes } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Database } from "./db/database.ts";
import type { Vault } from "./deps.ts";
import { ConfigError } from "./environment.ts";
import { type Env, type Kind, keys, token } from "./setting-kinds.ts";

export interface SecretFolder {
  dataDir: string;
  /** Writes a file, or the names in a folder, through to the disk. */
  sync: (path: string) => void;
}

export interface Secrets {
  operationsToken: string;
  /** Encrypts stored secrets and personal numbers. 32 bytes. */
  secretKey: Buffer;
  /** Decrypt older data until it is encrypted again with the first key. 32 bytes each. */
  olderSecretKeys?: readonly Buffer[];
}

/**
 * Returns the secrets of the environment or, where they are not set, of the data folder, which makes and keeps them.
 * @throws ConfigError
 */
export function readSecrets(env: Env, folder: SecretFolder): Secrets {
  const operationsToken =
    env.OPERATIONS_TOKEN ||
    readOrCreateSecret(folder, "operations-token", token, () => randomBytes(24).toString("base64url"));
  const given =
    env.SECRET_KEY ||
    readOrCreateSecret(folder, "secret-key", keys, () => randomBytes(32).toString("base64"));
  const [secretKey = Buffer.alloc(0), ...olderSecretKeys] = keys.read(given);
  return { operationsToken, secretKey, ...(olderSecretKeys.length > 0 && { olderSecretKeys }) };
}

/**
 * The secret in this file of the data folder, which is created when missing; readable by the owner only.
 * A file that holds something else is left alone: it may be the only key to the sealed values.
 * @throws ConfigError
 */
function readOrCreateSecret(
  folder: SecretFolder,
  name: string,
  kind: Kind<unknown>,
  make: () => string,
): string {
  const { dataDir } = folder;
  const path = join(dataDir, name);
  try {
    const secret = readKept(path) ?? makeKept(path, folder, make());
    if (kind.faultOf(path, secret, {}) === undefined) return secret;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ConfigError([`the data folder ${dataDir} cannot be used: ${code} at ${path}`]);
  }
  throw new ConfigError([`${path} is damaged: restore it, or remove it to have a new one made`]);
}

/**
 * Returns the token of the environment or, if it is kept there, of the data folder; none is made.
 * @param env as `readEnvironment` returns it
 */
export const keptToken = (env: Env, dataDir: string): string | undefined =>
  env.OPERATIONS_TOKEN || readKept(join(dataDir, "operations-token"));

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

/** Opens a key of the platform's own: random, created once, and stored sealed, so that it outlives a change of SECRET_KEY. */
export async function openSealedKey(
  { kysely }: Pick<Database, "kysely">,
  vault: Vault,
  name: string,
): Promise<Buffer> {
  const found = () =>
    kysely.selectFrom("sealedKeys").select("sealed").where("name", "=", name).executeTakeFirst();
  if (!(await found()))
    await kysely
      .insertInto("sealedKeys")
      .values({ name, sealed: vault.seal(randomBytes(32).toString("base64")) })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  return Buffer.from(vault.open((await found())?.sealed ?? ""), "base64");
}
