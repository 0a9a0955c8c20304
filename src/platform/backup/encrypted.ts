import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Vault } from "../deps.ts";
import { BackupError } from "./format.ts";

// The construction STREAM (Hoang, Reyhanitabar, Rogaway and Vizár, 2015), as age has it: chunks under AES-256-GCM, whose nonces count them
// and mark the last. A chunk that was changed, moved, doubled, removed or appended does not open, and neither does anything after a cut.

const ALGORITHM = "aes-256-gcm";
const PURPOSE = "shiftpact backup";
const CHUNK_BYTES = 64 * 1024;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const SALT_BYTES = 32;
const FORMAT = 1;

/** The key of the file and what it is derived by: plain text, which every chunk authenticates. */
const PREAMBLE = /^shiftpact backup 1 (?<keyId>[0-9a-f]{8}) (?<salt>[\w-]{43})\n$/;
const preambleOf = (keyId: string, salt: Buffer) =>
  Buffer.from(`shiftpact backup ${FORMAT} ${keyId} ${salt.toString("base64url")}\n`);
const PREAMBLE_BYTES = preambleOf("01234567", Buffer.alloc(SALT_BYTES)).byteLength;

/** Yields the encrypted form of what comes in pieces, under a key that is derived from the first of SECRET_KEYS. */
export async function* encrypted(pieces: AsyncIterable<Buffer>, vault: Vault): AsyncGenerator<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const preamble = preambleOf(vault.keyId, salt);
  const key = vault.derive(PURPOSE, salt);
  yield preamble;
  for await (const { bytes, nonce } of chunksOf(pieces, CHUNK_BYTES)) {
    const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(preamble);
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }
}

/**
 * Yields what was encrypted, each chunk once it is authenticated.
 * @throws BackupError for what was not written so with one of the keys of the vault
 */
export async function* decrypted(pieces: AsyncIterable<Buffer>, vault: Vault): AsyncGenerator<Buffer> {
  const source = pieces[Symbol.asyncIterator]();
  const { preamble, rest } = await readPreamble(source);
  const key = keyOf(preamble, vault);
  for await (const chunk of chunksOf(resumed(rest, source), CHUNK_BYTES + TAG_BYTES))
    yield opened(chunk, key, preamble);
}

interface Chunk {
  bytes: Buffer;
  nonce: Buffer;
}

function opened({ bytes, nonce }: Chunk, key: Buffer, preamble: Buffer): Buffer {
  try {
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(preamble);
    const end = bytes.byteLength - TAG_BYTES;
    decipher.setAuthTag(bytes.subarray(Math.max(end, 0)));
    return Buffer.concat([decipher.update(bytes.subarray(0, Math.max(end, 0))), decipher.final()]);
  } catch (error) {
    throw new BackupError("the backup was changed or cut off: it is not as it was written", { cause: error });
  }
}

async function readPreamble(source: AsyncIterator<Buffer>): Promise<{ preamble: Buffer; rest: Buffer }> {
  let read: Buffer = Buffer.alloc(0);
  while (read.byteLength < PREAMBLE_BYTES) {
    const { value, done } = await source.next();
    if (done) break;
    read = Buffer.concat([read, value]);
  }
  return { preamble: read.subarray(0, PREAMBLE_BYTES), rest: read.subarray(PREAMBLE_BYTES) };
}

function keyOf(preamble: Buffer, vault: Vault): Buffer {
  const text = preamble.toString("latin1");
  const { keyId, salt } = PREAMBLE.exec(text)?.groups ?? {};
  if (keyId !== undefined && salt !== undefined) {
    if (vault.keyIds.includes(keyId)) return vault.derive(PURPOSE, Buffer.from(salt, "base64url"), keyId);
    throw new BackupError(
      `the backup was encrypted with key ${keyId}, but SECRET_KEY is key ${vault.keyIds.join(", ")}: ` +
        "give the SECRET_KEY of the platform that it comes from",
    );
  }
  const [, format] = /^shiftpact backup (\d{1,4}) /.exec(text) ?? [];
  if (format !== undefined && format !== String(FORMAT))
    throw new BackupError(`the backup has format ${format}, which a newer shiftpact reads`);
  throw new BackupError("this is no backup of shiftpact, or its beginning was changed");
}

async function* resumed(rest: Buffer, source: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield rest;
  yield* { [Symbol.asyncIterator]: () => source };
}

/** A full chunk is held back until more has come: the last one has its own mark. */
async function* chunksOf(pieces: AsyncIterable<Buffer>, size: number): AsyncGenerator<Chunk> {
  let [rest, count] = [Buffer.alloc(0) as Buffer, 0];
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece]);
    let at = 0;
    for (; rest.byteLength - at > size; at += size, count += 1)
      yield { bytes: rest.subarray(at, at + size), nonce: nonceOf(count, false) };
    rest = rest.subarray(at);
  }
  yield { bytes: rest, nonce: nonceOf(count, true) };
}

function nonceOf(count: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(NONCE_BYTES);
  nonce.writeUIntBE(count, NONCE_BYTES - 7, 6);
  nonce[NONCE_BYTES - 1] = isLast ? 1 : 0;
  return nonce;
}
