import type { Code, SkipCode } from "./codes/codes.ts";
import type { Exchange, OperationId, Reply } from "./exchange.ts";
import type { WebhookOperationId } from "./listen/webhook-operations.ts";

/** Where something was found: an operation of spec/provider.openapi.yaml or spec/platform.openapi.yaml, or the provider as a whole. */
export type Place = OperationId | WebhookOperationId | "provider";

/** A check that was made and found nothing wrong. */
export interface Passed {
  kind: "passed";
  operation: Place;
  /** What was checked, as a statement that holds: "an unknown token is refused". */
  title: string;
}

/** A check that was made and found something. */
export interface Found {
  kind: "found";
  code: Code;
  operation: Place;
  /** What the contract asks for here, in one line. Never a volatile value, never personal data. */
  expected: string;
  /** What came, in one line. Never a value that may be personal data. */
  actual: string;
  /** How to fix this one; the code's own advice unless given. */
  fix?: string;
  /** The same text for the same cause at one operation: it is reported once. `expected` and `actual` unless given. */
  cause?: string;
  /** Its name in reports, where a check has several results under names of their own. */
  title?: string;
  /** The request that shows it. */
  exchange?: Exchange;
}

/** A check that could not be made, and why. */
export interface Skipped {
  kind: "skipped";
  code: SkipCode;
  operation: Place;
  /** What was not checked. */
  title: string;
  /** Why, and what to give so that it can be. */
  reason: string;
}

/** The outcome that a check yields. */
export type Outcome = Passed | Found | Skipped;

export const passed = (operation: Place, title: string): Passed => ({ kind: "passed", operation, title });

type Details = Pick<Found, "expected" | "actual" | "exchange" | "fix" | "cause" | "title"> & {
  operation?: Place;
};

export function found(code: Code, details: Details): Found {
  const operation = details.operation ?? details.exchange?.probe.operation ?? "provider";
  return { kind: "found", code, ...details, operation };
}

/** A valid request that the provider refused with a 4xx. */
export function refused(exchange: Reply, expected: string): Found {
  return found("request_refused", { exchange, expected, actual: `status ${exchange.answer.status}` });
}

export function skipped(code: SkipCode, operation: Place, title: string, reason: string): Skipped {
  return { kind: "skipped", code, operation, title, reason };
}

/** A finding as reports show it: one line of `--json`. */
export interface Finding {
  code: Code | SkipCode;
  severity: "error" | "warning" | "skipped";
  operation: Place;
  title: string;
  expected: string;
  actual: string;
  /** Of the contract. */
  section: string;
  /** A curl command; empty when no single request shows it. */
  reproduce: string;
  /** How to fix it. */
  fix: string;
  /** How often it was seen in this run, with the same expectation. */
  count: number;
}
