import type { Dialect } from "../contract/dialect.ts";

/** The contract's choices, and what else correct providers do differently. */
export interface Forms {
  /** Undefined: both. */
  routing: Dialect["routing"] | undefined;
  variant: Dialect["variant"];
  notFound: Dialect["notFound"];
  /** A form that is not offered answers 405. */
  unassign: Dialect["unassign"] | "both";
  acknowledgement: Dialect["acknowledgement"];
  /** What GET answers once a shift is deleted; `cancelled` (the status) takes variant B. */
  deleted: "404" | "410" | "cancelled";
  /** What PUT /shifts/{id} answers with: the shift, or nothing. */
  updateAnswer: 200 | 204;
  createAnswer: 200 | 201;
  /** `hyphenated`: candidates are found, and shown, under `YYYYMMDD-XXXX` only. */
  personalNumbers: "digits" | "hyphenated";
  /** Whether the optional `GET /candidates/registry` is offered. */
  registry: boolean;
  /** Whether an assignment through the platform sends a shift.update. */
  assignEchoes: boolean;
  /** The traceId of the events that the platform's own calls cause: the contract does not say that it is the call's. */
  echoTraceId: "new" | "same";
}

const DEFAULT_FORMS: Readonly<Forms> = {
  routing: undefined,
  variant: "a",
  notFound: "empty",
  unassign: "both",
  acknowledgement: "full",
  deleted: "404",
  updateAnswer: 200,
  createAnswer: 201,
  personalNumbers: "digits",
  registry: true,
  assignEchoes: false,
  echoTraceId: "new",
};

/** @throws TypeError when the forms exclude one another. */
export function formsOf(chosen: Partial<Forms>): Forms {
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  const forms: Forms = { ...DEFAULT_FORMS, ...Object.fromEntries(given) };
  if (forms.deleted === "cancelled" && forms.variant !== "b") {
    throw new TypeError('deleted "cancelled" needs variant "b": variant A has no status');
  }
  return forms;
}
