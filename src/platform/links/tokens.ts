import { createHmac, timingSafeEqual } from "node:crypto";
import type { LinkPurpose, LinkTarget, LinkTokens } from "../deps.ts";

/** Two UUIDs and the salt. */
const BODY_BYTES = 36;
/** Of the HMAC-SHA-256: no one finds 128 bits by trying. */
const MAC_BYTES = 16;

const TOKEN = /^[\w-]{70}$/;

/** Signs and reads the tokens of links. A token that was not signed with this key costs one HMAC, and nothing of the database. */
export function createLinkTokens(key: Buffer): LinkTokens {
  const macOf = (purpose: LinkPurpose, body: Buffer) =>
    createHmac("sha256", key).update(purpose).update(body).digest().subarray(0, MAC_BYTES);
  return {
    sign: (purpose, target) => {
      const body = bodyOf(target);
      return Buffer.concat([body, macOf(purpose, body)]).toString("base64url");
    },
    read: (purpose, token) => {
      if (!TOKEN.test(token)) return undefined;
      const bytes = Buffer.from(token, "base64url");
      const [body, mac] = [bytes.subarray(0, BODY_BYTES), bytes.subarray(BODY_BYTES)];
      // The last letter has bits that the bytes do not: only one spelling is valid.
      const isValid = timingSafeEqual(mac, macOf(purpose, body)) && bytes.toString("base64url") === token;
      return isValid ? targetOf(body) : undefined;
    },
  };
}

function bodyOf({ providerId, id, salt }: LinkTarget): Buffer {
  const body = Buffer.alloc(BODY_BYTES);
  body.write(providerId.replaceAll("-", ""), 0, "hex");
  body.write(id.replaceAll("-", ""), 16, "hex");
  body.writeInt32BE(salt, 32);
  return body;
}

const targetOf = (body: Buffer): LinkTarget => ({
  providerId: uuidOf(body.subarray(0, 16)),
  id: uuidOf(body.subarray(16, 32)),
  salt: body.readInt32BE(32),
});

const uuidOf = (bytes: Buffer): string =>
  bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
