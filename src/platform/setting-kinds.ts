import { isIP } from "node:net";
import type { Language } from "../../generated/operations/types.ts";
import { checkProviderUrl } from "../clients/address-guard.ts";
import { faultOfUrl } from "./db/database-url.ts";

export type Env = Readonly<Record<string, string | undefined>>;

/** How the value of a setting is written, and what the platform reads from it. */
export interface Kind<Value> {
  /** The permitted values, for the documentation, as Markdown. */
  form: string;
  /** Returns one line about a value that is not permitted. It does not repeat the value, which may hold a secret. */
  faultOf: (name: string, text: string, env: Env) => string | undefined;
  /** Returns the value of a text without a fault. */
  read: (text: string) => Value;
}

interface Form<Value> {
  form: string;
  /** Follows the name of the setting in the line about a wrong value. */
  must?: string;
  isValid: (text: string) => boolean;
  read: (text: string) => Value;
}

const kindOf = <Value>({
  form,
  must = form.replaceAll("`", ""),
  isValid,
  read,
}: Form<Value>): Kind<Value> => ({
  form,
  faultOf: (name, text) => (isValid(text) ? undefined : `${name} must be ${must}`),
  read,
});

const asWritten = (text: string): string => text;

/** @param length of the unit, if the value is read as milliseconds */
export function wholeNumber(
  least: number,
  most: number,
  { unit = "", length = 1, reason = "" } = {},
): Kind<number> {
  return kindOf({
    form: `${least} to ${most} ${unit}`.trim(),
    must: `a whole number from ${least} to ${most}${reason && `: ${reason}`}`,
    isValid: (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
    read: (text) => Number(text) * length,
  });
}

export const flag = kindOf({
  form: "0 or 1",
  isValid: (text) => text === "0" || text === "1",
  read: (text) => text === "1",
});

export const oneOf = <Value extends string>(...values: readonly Value[]): Kind<Value> =>
  kindOf({
    form: values.join(", "),
    must: `one of ${values.join(", ")}`,
    isValid: (text) => values.some((value) => value === text),
    read: (text) => text as Value,
  });

export const language = oneOf<Language>("en", "sv");

export const folder = kindOf({ form: "a path", isValid: () => true, read: asWritten });

export const listenAddress = kindOf({
  form: "an address or a name of this machine",
  isValid: (text) => /^[\w.:-]+$/.test(text),
  read: asWritten,
});

/** As Express's `trust proxy` takes them. */
export const proxies = kindOf({
  form: "a number, or addresses and subnets",
  must: "a number of proxies, or their addresses, subnets or loopback, linklocal and uniquelocal, separated by commas",
  isValid: (text) => {
    const given = proxiesOf(text);
    return typeof given === "number" ? given <= 20 : given.every(isProxy);
  },
  read: proxiesOf,
});

function proxiesOf(text: string): number | string[] {
  return /^\d+$/.test(text) ? Number(text) : text.split(",").map((each) => each.trim());
}

function isProxy(text: string): boolean {
  if (["loopback", "linklocal", "uniquelocal"].includes(text)) return true;
  const [address = "", bits, ...rest] = text.split("/");
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    rest.length === 0 && most >= 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
  );
}

export const postgresUrl: Kind<string> = {
  form: "`postgres://USER:PASSWORD@HOST/DATABASE`",
  faultOf: faultOfUrl,
  read: asWritten,
};

export const platformUrl = kindOf({
  form: "`http://HOST:PORT` or `https://HOST:PORT`",
  isValid: () => true,
  read: asWritten,
});

export const publicUrl = kindOf({
  form: "`https://HOST`, with a path where a proxy removes it",
  must: "an https:// or http:// URL without user, query and fragment",
  isValid: isPublicUrl,
  read: (text) => text.replace(/\/$/, ""),
});

function isPublicUrl(text: string): boolean {
  if (!URL.canParse(text) || /[\s?#]/.test(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && username + password === "";
}

export const smtpUrl = kindOf({
  form: "`smtp://HOST:PORT` or `smtps://HOST:PORT`",
  must: "smtp://host:port or smtps://host:port, with user:password@ before the host if it asks",
  isValid: isSmtpUrl,
  read: asWritten,
});

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

export const mailAddress = kindOf({
  form: "a bare address, such as `shifts@example.com`",
  isValid: (text) => /^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]{1,250}$/.test(text),
  read: asWritten,
});

/** It is shown beside an address, and must not look like another one. */
export const senderName = kindOf({
  form: "1 to 60 characters without control characters, `<`, `>`, `@` and quotes",
  isValid: (text) => /^[^\p{Cc}<>@"\\]{1,60}$/u.test(text),
  read: asWritten,
});

export const token = kindOf({
  form: "at least 22 printable characters without spaces",
  isValid: (text) => /^[\x21-\x7e]{22,}$/.test(text),
  read: asWritten,
});

/** 32 bytes in base64 or base64url. Node's decoder skips any other character, and would make a key of anything. */
const isKey = (text: string): boolean => /^[\w+/-]{43}=?$/.test(text);

export const key = kindOf({ form: "32 bytes in base64", isValid: isKey, read: keysOf });

export const keys = kindOf({
  form: "keys of 32 bytes in base64, separated by commas",
  must: "keys of 32 bytes in base64, with commas between them: the first one encrypts, all decrypt",
  isValid: (text) => split(text).every(isKey),
  read: keysOf,
});

/** The address guard refuses a literal address here, and a name when it is resolved. */
export const webhookUrl: Kind<string> = {
  form: "`https://HOST/PATH`",
  faultOf: (name, text, env) => {
    const verdict = checkProviderUrl(text, { allowInsecure: env.ALLOW_INSECURE_PROVIDERS === "1" });
    return verdict.ok ? undefined : `${name} is not usable: ${verdict.reason}`;
  },
  read: asWritten,
};

/** As Standard Webhooks has them. */
export const webhookSecrets = kindOf({
  form: "`whsec_` and 24 to 64 bytes in base64, separated by commas",
  isValid: (text) => split(text).every(isWebhookSecret),
  read: (text) => split(text).map(bytesOfSecret),
});

const bytesOfSecret = (text: string) => Buffer.from(text.slice("whsec_".length), "base64");

function isWebhookSecret(text: string): boolean {
  if (!/^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text)) return false;
  const bytes = bytesOfSecret(text);
  // Node's decoder skips what is not base64.
  return bytes.length >= 24 && bytes.length <= 64 && `whsec_${bytes.toString("base64")}` === text;
}

const split = (text: string): string[] => text.split(",").map((each) => each.trim());

function keysOf(text: string): Buffer[] {
  return split(text).map((each) => Buffer.from(each, "base64"));
}
