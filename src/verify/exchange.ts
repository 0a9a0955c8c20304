import type { operations } from "../../generated/provider/types.ts";
import { hyphenated, parsePersonalNumber } from "../contract/personal-number.ts";
import { otherCase, TEST_NUMBERS } from "./test-numbers.ts";

export type OperationId = keyof operations;

/** One request to the provider, as a change of the valid request. */
export interface Probe {
  operation: OperationId;
  /** Path parameters, not encoded; ignored if `rawPath` is given. */
  path?: Readonly<Record<string, string>>;
  /** Replaces the path below the routing prefix; sent unchanged. */
  rawPath?: string;
  query?: Readonly<Record<string, string>>;
  json?: unknown;
  /** Replaces `json`; sent unchanged. */
  raw?: { text: string; contentType: string };
  /** The whole Authorization header; null: none. By default with the provider's own token. */
  authorization?: string | null;
  /** Replaces the providerId in the path or the headers; null: omitted. */
  providerId?: string | null;
  /** Added to the other headers, or replaces them. */
  headers?: Readonly<Record<string, string>>;
  /** Replaces the detected routing. */
  routing?: "path" | "header";
}

export interface Sent {
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}

export interface Answered {
  kind: "answer";
  status: number;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Without a byte order mark. */
  text: string;
  /** Whether a byte order mark came before the text. */
  hasMark?: true;
  /** Undefined if the body is empty or not JSON. */
  json: unknown;
}

/** `hung`: not complete within the time limit. `broken`: the connection failed, or the response was not HTTP or too long. */
export interface Unanswered {
  kind: "hung" | "broken";
  reason: string;
  /** Whether the response is longer than the kit reads. */
  isTooLong?: boolean;
  /** Whether the connection closed before the first byte. */
  isUnbegun?: boolean;
  /** What to check; undefined if the reason is only that there was no response. */
  fix?: string;
}

export interface Exchange {
  probe: Probe;
  sent: Sent;
  answer: Answered | Unanswered;
}

export type Reply = Exchange & { answer: Answered };

export function isReply(exchange: Exchange): exchange is Reply {
  return exchange.answer.kind === "answer";
}

/** Whether the response is a 2xx or 4xx that a check can judge. The judge reports all others. */
export function isPlain(exchange: Exchange): exchange is Reply {
  if (!isReply(exchange)) return false;
  const { status } = exchange.answer;
  return (status >= 200 && status < 300) || (status >= 400 && status < 500 && status !== 429);
}

/** Returns the status, or the kind of failure. */
export function statusOf({ answer }: Exchange): number | "hung" | "broken" {
  return answer.kind === "answer" ? answer.status : answer.kind;
}

/** Whether a 2xx has `success: false`. The judge reports it, and the checks expect no effect. */
export function isDenied({ answer }: Reply): boolean {
  return (answer.json as { success?: unknown } | null | undefined)?.success === false;
}

/** Secret values by the name of the shell variable that replaces them: `PROVIDER_TOKEN`. */
export type Secrets = Readonly<Record<string, string>>;

/** Replaces the personal number of a possibly real person. */
const PERSON = "PERSONAL_NUMBER";
const NUMBER = /(?<![\w-])\d{8}-?\d{4}(?![\w-])/g;

/** Longer bodies are truncated in the curl command. */
const LONGEST_BODY = 2_000;
/** A shorter token may be an ordinary word: it is masked only in the place of a credential. */
export const SHORTEST_KNOWN = 8;

/** Returns the request as a curl command for a POSIX shell, with variables for tokens and real personal numbers. */
export function curlOf({ method, url, headers, body }: Sent, secrets: Secrets): string {
  const shown = Object.entries(headers).filter(([name]) => name !== "Accept" && name !== "traceparent");
  const parts = [
    "curl -i",
    ...(method === "GET" ? [] : [`-X ${method}`]),
    shellText(redact(url, secrets), secrets),
    ...shown.map(([name, value]) => `-H ${shellText(headerText(name, value, secrets), secrets)}`),
    ...(body === undefined
      ? []
      : [`--data-binary ${shellText(redact(body.slice(0, LONGEST_BODY), secrets), secrets)}`]),
  ];
  return parts.join(" ");
}

function headerText(name: string, value: string, secrets: Secrets): string {
  if (name.toLowerCase() !== "authorization") return `${name}: ${redact(value, secrets)}`;
  const start = value.indexOf(" ") + 1;
  return `${name}: ${value.slice(0, start)}${credentialText(value.slice(start), secrets)}`;
}

/** Returns the credentials with the variable of the token, even if a check modified the token. */
function credentialText(credentials: string, secrets: Secrets): string {
  for (const [name, token] of tokensOf(secrets)) {
    if (credentials.startsWith(token)) return `$${name}${credentials.slice(token.length)}`;
    if (credentials !== "" && credentials === token.slice(0, -1)) return `$${name}%?`;
    if (credentials === otherCase(token)) return `$(printf %s "$${name}" | tr a-zA-Z A-Za-z)`;
  }
  return credentials;
}

/** Returns a quoted shell word: in double quotes if it contains a variable, otherwise in single quotes. */
function shellText(text: string, secrets: Secrets): string {
  const names = [...Object.keys(secrets), PERSON].join("|");
  const variable = new RegExp(
    `(\\$\\(printf %s "\\$(?:${names})" \\| tr a-zA-Z A-Za-z\\)|\\$(?:${names})(?:%\\?)?)`,
  );
  const parts = text.split(variable);
  if (parts.length === 1) return `'${text.replaceAll("'", `'\\''`)}'`;
  const written = parts.map((part, index) => {
    if (index % 2 === 0) return part.replaceAll(/["$`\\]/g, "\\$&");
    return part.startsWith("$(") ? part : `\${${part.slice(1)}}`;
  });
  return `"${written.join("")}"`;
}

/** Replaces secrets with their variables, and personal numbers that are not published test numbers. */
export function redact(text: string, secrets: Secrets): string {
  const withoutTokens = tokensOf(secrets).reduce(
    (rest, [name, token]) => withoutToken(rest, name, token),
    text,
  );
  const withoutKnown = numbersOf(secrets).reduce(
    (rest, [name, form]) => rest.replaceAll(form, `$${name}`),
    withoutTokens,
  );
  return withoutKnown.replaceAll(NUMBER, (text) => {
    const number = parsePersonalNumber(text);
    return number === undefined || TEST_NUMBERS.includes(number) ? text : `$${PERSON}`;
  });
}

/** Places of credentials: after a scheme, and in a URL as user, password or query value. */
const BEFORE = String.raw`(?<=\bBearer |\bBasic |\bToken |:\/\/(?:[^\s/@:]*:)?|[?&][^\s=&#]*=)`;
const AFTER = String.raw`(?![^\s"'&#@:/,;)\]}])`;
const NO_WORD_BEFORE = "(?<![A-Za-z0-9_-])";
const NO_WORD_AFTER = "(?![A-Za-z0-9_-])";

/** Replaces whole tokens only. A short token is replaced only in the place of a credential. */
function withoutToken(text: string, name: string, token: string): string {
  const forms = [...new Set([token, encodeURIComponent(token)])].map(escaped);
  const pattern = forms.join("|");
  const isKnown = token.length >= SHORTEST_KNOWN;
  const anywhere = isKnown ? `|${NO_WORD_BEFORE}(?:${pattern})${NO_WORD_AFTER}` : "";
  return text.replaceAll(new RegExp(`${BEFORE}(?:${pattern})${AFTER}${anywhere}`, "g"), () => `$${name}`);
}

const escaped = (text: string) => text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

function tokensOf(secrets: Secrets): [name: string, token: string][] {
  return Object.entries(secrets).filter(
    ([, secret]) => secret !== "" && parsePersonalNumber(secret) === undefined,
  );
}

/** Returns both forms of each personal number. */
function numbersOf(secrets: Secrets): [name: string, form: string][] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    const number = parsePersonalNumber(secret);
    return number === undefined
      ? []
      : [number, hyphenated(number)].map((form): [string, string] => [name, form]);
  });
}
