import type { FailureCode } from "../../../generated/operations/types.ts";
import type { FieldError, Validator } from "../../runtime/validator.ts";
import { CallRefused, ProviderHttpError } from "./http-error.ts";

/** The provider said no, and asking again would not change that: any 4xx but 408 and 429. */
export interface Refused {
  kind: "refused";
  status: number;
  /** The `code` of its problem document, if it sent one. */
  code: string | undefined;
}

/** No usable answer: 5xx, 408, 429, a time-out, a connection error, or an answer that breaks the contract. Try again later. */
export interface Unavailable {
  kind: "unavailable";
  failure: FailureCode;
  /** Of the response, if one came. */
  status?: number;
  /** The system's code of a connection error. */
  providerCode?: string;
  /** Of what breaks the contract in the response. */
  pointers?: readonly string[];
  /** For logs and issues; never holds a value that the provider sent. */
  reason: string;
  /** The provider's Retry-After, or our own wish when it was not asked. Milliseconds. */
  retryAfterMs?: number;
  /** The call never went out (call-policy.ts), so it says nothing about the provider. */
  notAsked?: true;
}

export type Failure = Refused | Unavailable;

/** What came back, below 500 and without 3xx, 408 and 429. `body` is undefined when there was none or it is not JSON. */
export interface Answer {
  kind: "answer";
  status: number;
  ok: boolean;
  body: unknown;
}

/** What the generated client resolves to when it is told to leave the body alone. */
type Exchange = Promise<{ response: Response; data?: unknown; error?: unknown }>;

/** Sorts out what is worth another try. `now` reads a Retry-After that is a date. */
export async function answerOf(
  exchange: Exchange,
  now: () => number = Date.now,
): Promise<Answer | Unavailable> {
  try {
    const { response, data, error } = await exchange;
    const { status } = response;
    const isTemporary = status >= 500 || status === 408 || status === 429;
    if (isTemporary) return temporary(response, now());
    if (status >= 300 && status < 400)
      return { ...unavailable("redirected", `status ${status}: redirects are not followed`), status };
    return { kind: "answer", status, ok: response.ok, body: response.ok ? parseJson(data) : asObject(error) };
  } catch (error) {
    if (error instanceof CallRefused) {
      const { failure, message, retryAfterMs } = error;
      return { ...unavailable(failure, message), retryAfterMs, notAsked: true };
    }
    if (error instanceof ProviderHttpError) {
      const { failure, message, code } = error;
      return { ...unavailable(failure, message), ...(code !== undefined && { providerCode: code }) };
    }
    throw error;
  }
}

function temporary(response: Response, now: number): Unavailable {
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

/** The answer does not fit the contract's schema. Names the places, never the values. */
export function broken(what: string, errors: readonly FieldError[]): Unavailable {
  const places = errors.slice(0, 5).map(({ pointer, message }) => `${pointer || "the body"} ${message}`);
  const pointers = errors.slice(0, 5).map(({ pointer }) => pointer);
  return {
    ...unavailable("contract_violation", `the ${what} breaks the contract: ${places.join("; ")}`),
    pointers,
  };
}

/** The body as `T`, or what is wrong with it. */
export function read<T>(what: string, answer: Answer, validator: Validator<T>): { value: T } | Unavailable {
  if (answer.body === undefined)
    return { ...unavailable("contract_violation", `the ${what} is not JSON`), pointers: [""] };
  const { body } = answer;
  return validator(body) ? { value: body } : broken(what, validator.errorsOf(body));
}

/** An entry of a list, or what keeps it from being one. */
export type ReadEntry<T> = { entry: T; fault?: never } | { fault: FieldError; entry?: never };

export const faultText = ({ pointer, message }: FieldError) => `${pointer || "it"} ${message}`;

/** The entries of a list one by one, in its order: one that breaks the contract costs only itself. */
export function readEach<T>(entries: readonly unknown[], validator: Validator<T>): ReadEntry<T>[] {
  return entries.map((entry) => {
    if (validator(entry)) return { entry };
    const [fault = { pointer: "", message: "breaks the contract" }] = validator.errorsOf(entry);
    return { fault };
  });
}

/** The body as a list. */
export function readList<T>(
  what: string,
  { body }: Answer,
  validator: Validator<T>,
): { entries: ReadEntry<T>[] } | Unavailable {
  if (Array.isArray(body)) return { entries: readEach(body, validator) };
  return broken(what, [{ pointer: "", message: body === undefined ? "is not JSON" : "must be an array" }]);
}

function parseJson(text: unknown): unknown {
  if (typeof text !== "string" || text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** openapi-fetch has parsed the body of an error already, if it could. */
function asObject(error: unknown): unknown {
  return typeof error === "object" && error !== null ? error : parseJson(error);
}
