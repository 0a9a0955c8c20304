import { createHash } from "node:crypto";

/** A text of the same form that is certainly another: same length, letters for letters, digits for digits, the rest as it is. */
export function unlike(text: string, salt: string): string {
  const noise = createHash("sha512").update(salt).digest();
  return [...text].map((character, index) => exchanged(character, noise[index % noise.length] ?? 0)).join("");
}

const KINDS = ["abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"] as const;

/** Moved on within its kind by at least one place. */
function exchanged(character: string, noise: number): string {
  const kind = KINDS.find((each) => each.includes(character));
  if (kind === undefined) return character;
  const by = 1 + (noise % (kind.length - 1));
  return kind[(kind.indexOf(character) + by) % kind.length] ?? character;
}

/** What tells kinds of tokens apart, such as `provider_`, stays. */
const PREFIX = /^[A-Za-z0-9]{1,16}[_.:-]/;

/** A token that nobody has, with the real one's length and prefix. */
export function tokenUnlike(token: string, salt: string): string {
  const prefix = PREFIX.exec(token)?.[0] ?? token.slice(0, 2);
  const rest = token.slice(prefix.length);
  const madeUp = unlike(rest, salt);
  return madeUp === rest ? unlike(token, salt) : prefix + madeUp;
}
