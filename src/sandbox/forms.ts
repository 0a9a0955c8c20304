import type { Dialect } from "../contract/dialect.ts";

/** The contract's choices, and other differences between correct providers. */
export interface Forms {
  /** Undefined: both. */
  routing: Dialect["routing"] | undefined;
  variant: Dialect["variant"];
  notFound: Dialect["notFound"];
  /** A form that is not offered returns 405. */
  unassign: Dialect["unassign"] | "both";
  acknowledgement: Dialect["acknowledgement"];
  /** Response to GET for a deleted shift; `cancelled` (the status) requires variant B. */
  deleted: "404" | "410" | "cancelled";
  /** Response to PUT /shifts/{id}: the shift, or no content. */
  updateAnswer: 200 | 204;
  createAnswer: 200 | 201;
  /** `hyphenated`: only `YYYYMMDD-XXXX` finds a candidate, and responses use it. */
  personalNumbers: "digits" | "hyphenated";
  /** Whether the optional `GET /candidates/registry` is offered. */
  registry: boolean;
  /** Whether an assignment through the platform sends a shift.update. */
  assignEchoes: boolean;
  /** `same`: events caused by a call of the platform have its traceId; the contract leaves this open. */
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

/** Returns the chosen forms with defaults. @throws TypeError when the forms exclude one another. */
export function formsOf(chosen: Partial<Forms>): Forms {
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  const forms: Forms = { ...DEFAULT_FORMS, ...Object.fromEntries(given) };
  if (forms.deleted === "cancelled" && forms.variant !== "b") {
    throw new TypeError('deleted "cancelled" requires variant "b": variant A has no status');
  }
  return forms;
}
