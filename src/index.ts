/**
 * The exports of `shiftpact`, for any runtime with `fetch`: the clients of both directions, and the contract's rules. The generated types, stubs and
 * validators are exported from `shiftpact/provider`, `shiftpact/platform` and `shiftpact/events`.
 */
export type { Failure, Refused, Unavailable } from "./clients/provider/answer.ts";
export type { Seat } from "./clients/provider/assignments.ts";
export {
  createProviderClient,
  type ProviderClient,
  type ProviderClientOptions,
} from "./clients/provider/client.ts";
export type { Call } from "./clients/provider/parts.ts";
export type { ShiftChange, ShiftOutcome } from "./clients/provider/shifts.ts";
export {
  createWebhookClient,
  type Delivery,
  WEBHOOK_SCHEDULE,
  type WebhookClient,
  type WebhookClientOptions,
} from "./clients/webhook-client.ts";
export { type Dialect, everyDialect, type SeenDialect } from "./contract/dialect.ts";
export {
  hyphenated,
  maskPersonalNumber,
  type PersonalNumber,
  parsePersonalNumber,
} from "./contract/personal-number.ts";
export { catalogue, type ProblemCode, problem } from "./contract/problem.ts";
export { readShift, type Shift, type ShiftReading, type ShiftWarning, variantOf } from "./contract/shift.ts";
export { readTimestamp, shiftHours, type Timestamp } from "./contract/timestamp.ts";
export { fromTraceparent, traceHeaders } from "./contract/trace.ts";
