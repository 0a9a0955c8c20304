import type { FailureCode, Params } from "../../../generated/operations/types.ts";
import { connectionFault } from "../connection-fault.ts";
import { fieldWords } from "../field-words.ts";
import { catalogue } from "../problem.ts";
import { after, counted, entryOf, inParentheses } from "./phrases.ts";

const POINTERS_AT_MOST = 5;
/** The form of an error code of a provider or a system; other text is not shown. */
const ERROR_CODE = /^[a-z][a-z0-9_.-]{0,60}$/i;

type FailureParams = Pick<Params, "failure" | "status" | "providerCode"> & { pointers?: readonly string[] };

const FAILURES = {
  timeout: () => "no response in time",
  connection_failed: ({ providerCode = "" }) => connectionFault(providerCode) ?? "connection failed",
  response_too_long: () => "response too long",
  processing_limit: () => "responses took too much time or memory to process",
  redirected: (params) => `redirect not followed${after(", ", httpText(params))}`,
  http_error: (params) => httpText(params) ?? "HTTP error",
  contract_violation: ({ pointers }) => `contract violation in the response${placesOf(pointers)}`,
  wrong_shift: () => "response about another shift",
  wrong_person: () => "response about another person",
  change_not_shown: () => "response without the requested change",
  absence_unconfirmed: (params) => `absence of the shift not confirmed${after(", ", httpText(params))}`,
  route_missing: (params) => `no such route${after(", ", httpText(params))}`,
  address_blocked: () => "address not allowed",
  circuit_open: () => "calls paused after repeated failures",
  rate_limited: () => "rate limit reached",
  at_capacity: () => "too many calls in progress",
  aborted: () => "call aborted",
  internal_error: () => "internal error of the platform",
} satisfies Record<FailureCode, (params: FailureParams) => string>;

/** Why a call to the provider gave no usable response, as a phrase: `HTTP 503`, `no response in time`. */
export function failureText(params: FailureParams): string {
  return knownFailure(params) ?? "no usable response";
}

/** The failure in parentheses; nothing where the params name none. */
export function failureSuffix(params: FailureParams): string {
  return inParentheses(knownFailure(params));
}

/** ` after 3 attempts`; nothing without a count. */
export function attemptsSuffix(attempts: number | undefined): string {
  return attempts === undefined ? "" : ` after ${counted(attempts, "attempt")}`;
}

/** The failure; undefined where the params name none. */
export function knownFailure(params: FailureParams): string | undefined {
  const { failure } = params;
  if (failure === undefined) return httpText(params);
  return entryOf<(params: FailureParams) => string>(FAILURES, failure)?.(params) ?? failure;
}

const FAULTS = {
  time_impossible: "a time does not exist",
  time_out_of_range: "a time is out of range",
  end_not_after_start: "the end is not after the start",
  text_unstorable: "a text cannot be stored",
} satisfies Record<NonNullable<Params["fault"]>, string>;

/** What makes a shift unusable; undefined if the params do not name it. */
export function faultText({ fault, pointer }: Pick<Params, "fault" | "pointer">): string | undefined {
  if (fault === undefined) return undefined;
  return `${entryOf(FAULTS, fault) ?? fault}${inParentheses(fieldWords(pointer ?? "") || undefined)}`;
}

/** `HTTP 409, every position of the shift is taken`. */
function httpText({ status, providerCode }: FailureParams): string | undefined {
  const code = errorCode(providerCode);
  return status === undefined ? code : `HTTP ${status}${after(", ", code)}`;
}

/** The code in words: of a connection, or of the catalogue. Codes of the provider's own stay. */
function errorCode(code: string | undefined): string | undefined {
  if (code === undefined || !ERROR_CODE.test(code)) return undefined;
  const { title } = entryOf<{ title: string }>(catalogue, code) ?? {};
  return connectionFault(code) ?? (title ? `${title.charAt(0).toLowerCase()}${title.slice(1)}` : code);
}

function placesOf(pointers: readonly string[] = []): string {
  const places = pointers.slice(0, POINTERS_AT_MOST).map((pointer) => fieldWords(pointer) || "the body");
  return places.length === 0 ? "" : ` at ${places.join(", ")}`;
}
