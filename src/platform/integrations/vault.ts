import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Database, Log } from "../db/database.ts";
import type { RunSql } from "../db/engine.ts";
import { jsonRows } from "../db/fragments.ts";
import type { Vault } from "../deps.ts";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
/** Without the length, Node accepts a tag cut to four bytes too. */
const TAG = { authTagLength: 16 };

/** The id of a key, which every text that it sealed begins with. */
const keyIdOf = (key: Buffer): string => createHash("sha256").update(key).digest("hex").slice(0, 8);

/**
 * AES-256-GCM. A sealed text names its key, so that another key and changed data are distinct errors.
 * @param secretKey seals and opens; 32 bytes, as the older ones, which only open.
 */
export function createVault(secretKey: Buffer, olderKeys: readonly Buffer[] = []): Vault {
  const all = [secretKey, ...olderKeys];
  if (all.some((key) => key.byteLength !== 32)) throw new RangeError("SECRET_KEY must be 32 bytes");
  const keys = new Map(all.map((key) => [keyIdOf(key), key]));
  const keyId = keyIdOf(secretKey);
  const keyNamed = (id: string) => {
    const key = keys.get(id);
    if (!key) throw new Error(`sealed with key ${id}, but SECRET_KEY is key ${keyId}`);
    return key;
  };
  return {
    keyId,
    keyIds: [...keys.keys()],
    seal: (text) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, secretKey, iv, TAG);
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return [keyId, ...[iv, cipher.getAuthTag(), sealed].map((part) => part.toString("base64url"))].join(
        ".",
      );
    },
    open: (sealed) => {
      const [sealedWith = "", iv = "", tag = "", text = ""] = sealed.split(".");
      const decipher = createDecipheriv(ALGORITHM, keyNamed(sealedWith), Buffer.from(iv, "base64url"), TAG);
      decipher.setAuthTag(Buffer.from(tag, "base64url"));
      return Buffer.concat([decipher.update(Buffer.from(text, "base64url")), decipher.final()]).toString(
        "utf8",
      );
    },
  };
}

/** Every column that holds sealed text. test/platform/integrations/reseal.test.ts compares it with the database. */
const SEALED = [
  { table: "integrations", id: "provider_id", type: "uuid", column: "provider_token" },
  { table: "candidates", id: "candidate_id", type: "uuid", column: "hire" },
  { table: "candidates", id: "candidate_id", type: "uuid", column: "personal_number_sealed" },
  { table: "sealed_keys", id: "name", type: "text", column: "sealed" },
] as const;

type Column = (typeof SEALED)[number];

const BATCH = 200;
/** Sealed text begins with the id of its key. */
const FORM = "^[0-9a-f]{8}[.]";

/**
 * Compares the keys that sealed what the database holds with those that are given, so that a missing key is noticed at the start and not by
 * every call that fails later. A damaged value concerns one row, and does not stop the start.
 */
export async function checkSecretKeys(run: RunSql, vault: Vault): Promise<void> {
  for (const { table, column } of SEALED) {
    const { rows } = await run(
      `select distinct split_part(${column}, '.', 1) as "keyId" from shiftpact.${table} where ${column} ~ '${FORM}'`,
    );
    const missing = rows.map(({ keyId }) => keyId as string).filter((keyId) => !vault.keyIds.includes(keyId));
    if (missing.length === 0) continue;
    throw new Error(
      `the database holds values that were sealed with key ${missing.join(", ")}, but SECRET_KEY is key ${vault.keyIds.join(", ")}: ` +
        "add the missing key after it, with a comma between them",
    );
  }
}

/**
 * Encrypts again, with the first key of SECRET_KEY, what an older key encrypted, and logs when nothing needs the older keys. Other processes may do
 * the same; a value that changes meanwhile is left as it is then.
 */
export async function reseal(
  { database, vault, log }: { database: Database; vault: Vault; log: Log },
  signal: AbortSignal,
): Promise<void> {
  const older = vault.keyIds.slice(1);
  if (older.length === 0) return;
  const total = { resealed: 0, damaged: 0 };
  for (const column of SEALED) {
    let after: string | undefined;
    do {
      if (signal.aborted) return;
      const batch = await resealBatch(database, vault, column, after);
      after = batch.last;
      total.resealed += batch.resealed;
      total.damaged += batch.damaged;
      if (batch.resealed > 0) log.info({ ...column, ...total }, "sealed values again");
    } while (after !== undefined);
  }
  if (total.damaged > 0)
    log.error({ ...total, older }, "some sealed values are damaged, and no key opens them");
  log.info({ ...total, keyId: vault.keyId, older }, "everything is sealed with the first key of SECRET_KEY");
}

async function resealBatch(
  { kysely }: Database,
  vault: Vault,
  { table, id, type, column }: Column,
  after?: string,
) {
  const [key, value] = [sql.ref(id), sql.ref(column)];
  const { rows } = await sql<{ id: string; value: string }>`
    select ${key}::text as id, ${value} as value from ${sql.table(table)}
    where ${value} ~ ${FORM} and split_part(${value}, '.', 1) <> ${vault.keyId}
      and (${after ?? null}::text is null or ${key} > ${after ?? null})
    order by ${key} limit ${BATCH}`.execute(kysely);
  const opened = rows.flatMap((row) => resealed(vault, row));
  if (opened.length > 0)
    await sql`
      update ${sql.table(table)} set ${value} = given.next
      from ${jsonRows(opened)} as given (id ${sql.raw(type)}, value text, next text)
      where ${key} = given.id and ${sql.ref(`${table}.${column}`)} = given.value`.execute(kysely);
  const last = rows.length < BATCH ? undefined : rows.at(-1)?.id;
  return { resealed: opened.length, damaged: rows.length - opened.length, last };
}

function resealed(vault: Vault, { id, value }: { id: string; value: string }) {
  try {
    return [{ id, value, next: vault.seal(vault.open(value)) }];
  } catch {
    return [];
  }
}
