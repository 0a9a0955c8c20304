import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Database } from "../db/database.ts";
import type { Vault } from "../deps.ts";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
/** Without the length, Node accepts a tag cut to four bytes too. */
const TAG = { authTagLength: 16 };

/** What was sealed names another key than SECRET_KEY. */
class OtherKeyError extends Error {}

/**
 * AES-256-GCM under SECRET_KEY. A sealed text names its key, so that another key and changed data are distinct errors.
 * @param secretKey 32 bytes.
 */
export function createVault(secretKey: Buffer): Vault {
  if (secretKey.byteLength !== 32) throw new RangeError("SECRET_KEY must be 32 bytes");
  const keyId = createHash("sha256").update(secretKey).digest("hex").slice(0, 8);
  return {
    seal: (text) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, secretKey, iv, TAG);
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return [keyId, ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"))].join(
        ".",
      );
    },
    open: (sealed) => {
      const [sealedWith, iv = "", tag = "", text = ""] = sealed.split(".");
      if (sealedWith !== keyId)
        throw new OtherKeyError(`sealed with key ${sealedWith}, but SECRET_KEY is key ${keyId}`);
      const decipher = createDecipheriv(ALGORITHM, secretKey, Buffer.from(iv, "base64url"), TAG);
      decipher.setAuthTag(Buffer.from(tag, "base64url"));
      return Buffer.concat([decipher.update(Buffer.from(text, "base64url")), decipher.final()]).toString(
        "utf8",
      );
    },
  };
}

/** SQL for one sealed value; none: nothing is sealed. */
export const SEALED_VALUE = `select sealed from (
  (select provider_token as sealed from shiftpact.integrations limit 1)
  union all (select hire from shiftpact.candidates where hire is not null limit 1)) as sealed_values limit 1`;

/**
 * Opens one sealed value of the database, so that another SECRET_KEY is noticed at the start and not by every call that fails later.
 * A damaged value concerns one row, and does not stop the start.
 */
export async function checkSecretKey({ kysely }: Pick<Database, "kysely">, vault: Vault): Promise<void> {
  const { rows } = await sql<{ sealed: string }>`${sql.raw(SEALED_VALUE)}`.execute(kysely);
  for (const { sealed } of rows) {
    const fault = keyFault(sealed, vault);
    if (fault !== undefined)
      throw new Error(`what the database holds was ${fault}: start with the key of before`);
  }
}

/** Why the vault has another key than the one that sealed the value. */
export function keyFault(sealed: string, vault: Vault): string | undefined {
  try {
    vault.open(sealed);
  } catch (error) {
    if (error instanceof OtherKeyError) return error.message;
  }
  return undefined;
}
