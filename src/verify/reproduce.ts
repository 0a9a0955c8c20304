import { hyphenated, parsePersonalNumber } from "../contract/personal-number.ts";
import type { Sent } from "./target.ts";
import { TEST_NUMBERS } from "./test-numbers.ts";

/** What must not be shown, by the shell variable that stands for it: `PROVIDER_TOKEN`. */
export type Secrets = Readonly<Record<string, string>>;

/** Stands for the number of somebody who may be real. */
const SOMEBODY = "PERSONAL_NUMBER";
const NUMBER = /(?<![\w-])\d{8}-?\d{4}(?![\w-])/g;

/** Longer bodies are cut in the curl line. */
const LONGEST_BODY = 2_000;

/** The request as a curl command for a POSIX shell, which takes tokens and real people's numbers from variables. */
export function curlOf({ method, url, headers, body }: Sent, secrets: Secrets): string {
  const shown = Object.entries(headers).filter(([name]) => name !== "Accept" && name !== "traceparent");
  const parts = [
    "curl -i",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    shellText(url, secrets),
    ...shown.map(([name, value]) => `-H ${shellText(`${name}: ${value}`, secrets)}`),
    ...(body === undefined ? [] : [`--data-binary ${shellText(body.slice(0, LONGEST_BODY), secrets)}`]),
  ];
  return parts.join(" ");
}

/** In double quotes where the shell has to put a variable in, in single ones elsewhere. */
function shellText(text: string, secrets: Secrets): string {
  const hidden = redact(text, secrets);
  if (hidden === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  const names = [...Object.keys(secrets), SOMEBODY].join("|");
  const variable = new RegExp(`(\\$(?:${names})(?:%\\?)?)`);
  const parts = hidden.split(variable);
  const written = parts.map((part, index) =>
    index % 2 === 1 ? `\${${part.slice(1)}}` : part.replaceAll(/["$`\\]/g, "\\$&"),
  );
  return `"${written.join("")}"`;
}

/** The text with each secret replaced by its variable, and with it each personal number that was not published for tests. */
export function redact(text: string, secrets: Secrets): string {
  const hidden = Object.entries(secrets).reduce(
    (rest, [name, secret]) => writtenAs(rest, name, secret),
    text,
  );
  return hidden.replaceAll(NUMBER, (number) => (isSomebodys(number) ? `$${SOMEBODY}` : number));
}

/** A token that lacks its last character, as a check sends it, is still nearly the token. */
function writtenAs(text: string, name: string, secret: string): string {
  const hidden = formsOf(secret).reduce((rest, form) => rest.replaceAll(form, `$${name}`), text);
  const isToken = name.endsWith("_TOKEN") && secret.length >= 8;
  return isToken ? hidden.replaceAll(secret.slice(0, -1), `$${name}%?`) : hidden;
}

/** As it is, as a URL writes it, and both forms of a personal number. */
function formsOf(secret: string): string[] {
  const number = parsePersonalNumber(secret);
  const forms = number === undefined ? [secret, encodeURIComponent(secret)] : [number, hyphenated(number)];
  return forms.filter((form) => form !== "");
}

function isSomebodys(text: string): boolean {
  const number = parsePersonalNumber(text);
  return number !== undefined && !TEST_NUMBERS.includes(number);
}
