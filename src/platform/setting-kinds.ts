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
export function wholeNumber(least: number, most: number, { unit = "", length = 1 } = {}): Kind<number> {
  return kindOf({
    form: `${least} to ${most} ${unit}`.trim(),
    must: `a whole number from ${least} to ${most}`,
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

/** A port, with the address to listen on before it if it is not the default. */
export const place: Kind<{ host?: string; port: number }> = kindOf({
  form: "`PORT` or `HOST:PORT`",
  must: "a port from 0 to 65535, or HOST:PORT",
  isValid: (text) => /^(?:(?:[\w.-]+|\[[\da-f:.]+\]):)?\d{1,5}$/i.test(text) && placeOf(text).port <= 65_535,
  read: placeOf,
});

function placeOf(text: string): { host?: string; port: number } {
  const colon = text.lastIndexOf(":");
  const port = Number(text.slice(colon + 1));
  return colon < 0 ? { port } : { host: text.slice(0, colon).replace(/^\[|\]$/g, ""), port };
}

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

const isMailAddress = (text: string): boolean => /^[^\s@<>,;:"]{1,64}@[^\s@<>,;:"]{1,250}$/.test(text);

export const mailAddress = kindOf({
  form: "a bare address, such as `shifts@example.com`",
  isValid: isMailAddress,
  read: asWritten,
});

export const sender = kindOf({
  form: "an address, or `NAME <ADDRESS>` with 1 to 60 characters without control characters, `<`, `>`, `@` and quotes",
  must: "an address, or NAME <ADDRESS> with a name of 1 to 60 characters without control characters, < > @ and quotes",
  isValid: (text) => isMailAddress(senderOf(text).from),
  read: senderOf,
});

const isSenderName = (text: string): boolean => /^[^\p{Cc}<>@"\\]{1,60}$/u.test(text);

/** The name is shown beside the address, and must not look like another one. */
function senderOf(text: string): { from: string; fromName?: string } {
  const begin = text.indexOf(" <");
  const written = text.slice(0, begin).trimEnd();
  const fromName = /^".*"$/.test(written) ? written.slice(1, -1) : written;
  const isNamed = begin > 0 && text.endsWith(">") && isSenderName(fromName) && fromName === fromName.trim();
  return isNamed ? { from: text.slice(begin + 2, -1), fromName } : { from: text };
}

export const token = kindOf({
  form: "at least 22 printable characters without spaces",
  isValid: (text) => /^[\x21-\x7e]{22,}$/.test(text),
  read: asWritten,
});

/** 32 bytes in base64 or base64url. Node's decoder skips any other character, and would make a key of anything. */
const isKey = (text: string): boolean => /^[\w+/-]{43}=?$/.test(text);

export const keys = kindOf({
  form: "32 bytes in base64, or several such keys separated by commas",
  isValid: (text) => split(text).every(isKey),
  read: (text) => split(text).map((each) => Buffer.from(each, "base64")),
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
