import { createHash } from "node:crypto";
import { isUuid } from "../contract/uuid.ts";

/** Returns a different text of the same form: same length, letters for letters and digits for digits. */
export function unlike(text: string, salt: string): string {
  const noise = createHash("sha512").update(salt).digest();
  const kinds = /^[0-9a-f]+$/i.test(text) ? HEX : KINDS;
  return [...text]
    .map((character, index) => exchanged(character, noise[index % noise.length] ?? 0, kinds))
    .join("");
}

const KINDS = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"];
const HEX = ["abcdef", "ABCDEF", "0123456789"];

function exchanged(character: string, noise: number, kinds: readonly string[]): string {
  const kind = kinds.find((each) => each.includes(character));
  if (kind === undefined) return character;
  const by = 1 + (noise % (kind.length - 1));
  return kind[(kind.indexOf(character) + by) % kind.length] ?? character;
}

/** With fewer letters and digits, a random text of the same form could be an existing id. */
const LONG_ENOUGH = 6;

/** Returns an unknown id of the same form as a known one; a numeric id is far above any counter. */
export function idUnlike(known: string, run: { madeUp(name: string): string }, name: string): string {
  const madeUp = run.madeUp(name);
  if (isUuid(known)) return madeUp;
  if (/^\d+$/.test(known) && known.length < 10) return `19${unlike("00000000", madeUp)}`;
  const exchangeable = known.replaceAll(/[^A-Za-z0-9]/g, "").length;
  return exchangeable < LONG_ENOUGH ? madeUp : unlike(known, madeUp);
}

/** Prefix of a token that is kept, such as `provider_`. */
const PREFIX = /^[A-Za-z0-9]{1,16}[_.:-]/;

/** Returns an unknown token with the length and prefix of the real one. */
export function tokenUnlike(token: string, salt: string): string {
  const prefix = PREFIX.exec(token)?.[0] ?? token.slice(0, 2);
  const rest = token.slice(prefix.length);
  const madeUp = unlike(rest, salt);
  return madeUp === rest ? unlike(token, salt) : prefix + madeUp;
}

/** Returns the text with the case of its letters swapped: a token without letters does not change. */
export function otherCase(text: string): string {
  return text.replaceAll(/[a-z]/gi, (letter) => (letter < "a" ? letter.toLowerCase() : letter.toUpperCase()));
}
