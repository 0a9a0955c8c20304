import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
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
