import type { Code, SkipCode } from "./codes/codes.ts";
import type { Exchange, OperationId, Reply } from "./exchange.ts";
import type { WebhookOperationId } from "./listen/webhook-operations.ts";

/** The place of a finding: an operation of spec/provider.openapi.yaml or spec/platform.openapi.yaml, or the provider as a whole. */
export type Place = OperationId | WebhookOperationId | "provider";

export interface Passed {
  kind: "passed";
  operation: Place;
  /** The checked statement: "an unknown token is refused". */
  title: string;
}

/** A check that found a violation or something unusual. */
export interface Found {
  kind: "found";
  code: Code;
  operation: Place;
  /** The contract's requirement in one line, without volatile values and personal data. */
  expected: string;
  /** The observed behaviour in one line, without possible personal data. */
  actual: string;
  /** How to fix this finding; the fix of the code by default. */
  fix?: string;
  /** Findings with the same code and cause are reported once; `expected` and `actual` by default. */
  cause?: string;
  /** The name in reports, for a check with several named results. */
  title?: string;
  /** The request that reproduces it. */
  exchange?: Exchange;
}

export interface Skipped {
  kind: "skipped";
  code: SkipCode;
  operation: Place;
  /** What was not checked. */
  title: string;
  /** The reason, and what to provide. */
  reason: string;
}

export type Outcome = Passed | Found | Skipped;

export const passed = (operation: Place, title: string): Passed => ({ kind: "passed", operation, title });

type Details = Omit<Found, "kind" | "code" | "operation"> & { operation?: Place };

export function found(code: Code, details: Details): Found {
  const operation = details.operation ?? details.exchange?.probe.operation ?? "provider";
  return { kind: "found", code, ...details, operation };
}

/** Returns a finding for a valid request that the provider refused with a 4xx. */
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
  /** `provider` for the same finding at several operations. */
  operation: Place;
  /** The operations, if there are several. */
  places?: readonly Place[];
  title: string;
  expected: string;
  actual: string;
  /** Section of the contract. */
  section: string;
  /** A curl command; empty if no single request reproduces it. */
  reproduce: string;
  /** How to fix it. */
  fix: string;
  /** Number of occurrences in this run. */
  count: number;
}
