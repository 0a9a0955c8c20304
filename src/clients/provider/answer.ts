import type { FailureCode } from "../../../generated/operations/types.ts";
import { fieldWords } from "../../contract/field-words.ts";
import { isTooDeep, TOO_DEEP } from "../../runtime/json.ts";
import type { FieldError, Validator } from "../../runtime/validator.ts";
import type { ProviderFetch } from "./global-fetch.ts";
import { CallRefused, MOST_ENTRIES, ProviderHttpError, tooMany } from "./http-error.ts";

/** A refusal that a retry would not change: any 4xx but 408 and 429. */
export interface Refused {
  kind: "refused";
  status: number;
  /** The `code` of its problem document, if it sent one. */
  code: string | undefined;
  /** The acknowledgement of an assignment names another candidate on the right shift: that id. */
  assignedAs?: string;
}

/** No usable response: 5xx, 408, 429, a time-out, a connection error, or a contract violation. Retry later. */
export interface Unavailable {
  kind: "unavailable";
  failure: FailureCode;
  /** The status of the response, if there was one. */
  status?: number;
  /** The operating system's code of a connection error. */
  providerCode?: string;
  /** The places of the contract violations in the response. */
  pointers?: readonly string[];
  /** For logs and issues; never holds a value that the provider sent. */
  reason: string;
  /** The provider's Retry-After, or the platform's own delay when the call was not made. Milliseconds. */
  retryAfterMs?: number;
  /** The call never went out (call-policy.ts), so it says nothing about the provider. */
  notAsked?: true;
}

export type Failure = Refused | Unavailable;

/** A response below 500 and without 3xx, 408 and 429. `body` is undefined when it is missing or not JSON. */
export interface Answer {
  kind: "answer";
  status: number;
  ok: boolean;
  body: unknown;
  /** Why the body of a 2xx is undefined. */
  unread?: string;
}

/** The result of the generated client when it does not parse the body. */
type Exchange = Promise<{ response: Response; data?: unknown; error?: unknown }>;

/** Returns the response, or why a retry is needed. `parse` reads the text of a 2xx. */
export async function answerOf(exchange: Exchange, parse = parseJson): Promise<Answer | Unavailable> {
  try {
    const { response, data, error } = await exchange;
    const { status } = response;
    const isTemporary = status >= 500 || status === 408 || status === 429;
    if (isTemporary) return temporary(response, Date.now());
    if (status >= 300 && status < 400)
      return { ...unavailable("redirected", `status ${status}: redirects are not followed`), status };
    if (!response.ok) return { kind: "answer", status, ok: false, body: asObject(error) };
    const body = parse(data);
    return { kind: "answer", status, ok: true, body, ...(body === undefined && { unread: whyUnread(data) }) };
  } catch (error) {
    if (error instanceof CallRefused) {
      const { failure, message, retryAfterMs } = error;
      return { ...unavailable(failure, message), retryAfterMs, notAsked: true };
    }
    if (error instanceof ProviderHttpError) return failedCall(error);
    throw error;
  }
}

/** A call without a response. */
export function failedCall({ failure, message, code }: ProviderHttpError): Unavailable {
  return { ...unavailable(failure, message), ...(code !== undefined && { providerCode: code }) };
}

/** A response after which a retry is needed. */
export function temporary(response: Response, now: number): Unavailable {
  const retryAfterMs = readRetryAfter(response.headers.get("retry-after"), now);
  const { status } = response;
  const failure = unavailable("http_error", `status ${status}`);
  return { ...failure, status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** RFC 9110: seconds or a date. Undefined when it is neither. */
export function readRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export const unavailable = (failure: FailureCode, reason: string): Unavailable => ({
  kind: "unavailable",
  failure,
  reason,
});

export function refused(answer: Answer): Refused {
  const code = (answer.body as { code?: unknown } | undefined)?.code;
  return { kind: "refused", status: answer.status, code: isCode(code) ? code : undefined };
}

const isCode = (code: unknown): code is string =>
  typeof code === "string" && /^[a-z][a-z0-9_]{0,60}$/.test(code);

/** Returns a contract violation. It names the places, never the values. */
export function broken(what: string, errors: readonly FieldError[]): Unavailable {
  const places = errors.slice(0, 5).map(({ pointer, message }) => `${pointer || "the body"} ${message}`);
  const pointers = errors.slice(0, 5).map(({ pointer }) => pointer);
  return {
    ...unavailable("contract_violation", `the ${what} breaks the contract: ${places.join("; ")}`),
    pointers,
  };
}

/** Returns the body as `T`, or its contract violations. */
export function read<T>(what: string, answer: Answer, validator: Validator<T>): { value: T } | Unavailable {
  if (answer.body === undefined)
    return { ...unavailable("contract_violation", `the ${what} ${answer.unread}`), pointers: [""] };
  const { body } = answer;
  return validator(body) ? { value: body } : broken(what, validator.errorsOf(body));
}

/** An entry of a list, or its contract violation. */
export type ReadEntry<T> = { entry: T; fault?: never } | { fault: FieldError; entry?: never };

export const faultText = ({ pointer, message }: FieldError) => `${fieldWords(pointer) || "it"} ${message}`;

export function readEntry<T>(entry: unknown, validator: Validator<T>): ReadEntry<T> {
  if (validator(entry)) return { entry };
  const [fault = { pointer: "", message: "breaks the contract" }] = validator.errorsOf(entry);
  return { fault };
}

/** Returns the entries of a list in its order. An entry that breaks the contract does not affect the others. */
export function readList<T>(
  what: string,
  { body, unread = "" }: Answer,
  validator: Validator<T>,
): { entries: ReadEntry<T>[] } | Unavailable {
  const fault = (message: string) => broken(what, [{ pointer: "", message }]);
  if (!Array.isArray(body)) return fault(body === undefined ? unread : "must be an array");
  if (body.length > MOST_ENTRIES) return fault(tooMany(MOST_ENTRIES));
  return { entries: body.map((entry) => readEntry(entry, validator)) };
}

/** Says what is wrong with a text for which `parseJson` returns undefined. */
export const whyUnread = (text: unknown): string =>
  typeof text === "string" && isTooDeep(text) ? TOO_DEEP : "is not JSON";

/** Returns undefined for what is not JSON, or nested too deeply. */
export function parseJson(text: unknown): unknown {
  if (typeof text !== "string" || text.trim() === "" || isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Hides the body of an error that is nested too deeply from openapi-fetch, which parses every error: its status is sufficient, as for a
 * body that is not JSON.
 */
export const withShallowErrors =
  (fetch: ProviderFetch): ProviderFetch =>
  async (request, allowance) => {
    const response = await fetch(request, allowance);
    if (response.ok || response.body === null) return response;
    const text = await response.text();
    return new Response(isTooDeep(text) ? "" : text, response);
  };

/** openapi-fetch has already parsed the body of an error, if it could. */
function asObject(error: unknown): unknown {
  return typeof error === "object" && error !== null ? error : parseJson(error);
}
