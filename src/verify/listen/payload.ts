import { type Message, messages } from "../../../generated/events/types.ts";
import { schemas } from "../../../generated/events/validators.js";
import { requests } from "../../../generated/platform/validators.js";
import { problem } from "../../contract/problem.ts";
import { valueAt } from "../../runtime/pointer.ts";
import type { FieldError } from "../../runtime/validator.ts";
import { type Found, found } from "../finding.ts";
import { faultOf, kindOf } from "../judge/field-faults.ts";
import type { Refused } from "./rejection.ts";
import type { EventName } from "./retry-scenario.ts";
import type { WebhookOperationId } from "./webhook-operations.ts";

/** `foreign`: an unknown event name, acknowledged as by the platform (decisions, "unknown event name"). */
export type Payload = { kind: "message"; event: Message } | { kind: "foreign"; found: Found } | Refused;

export const eventNames = Object.keys(messages) as EventName[];

export function isEventName(name: unknown): name is EventName {
  return eventNames.some((each) => each === name);
}

/** Judges the body of a webhook (contract 6). */
export function readPayload(body: unknown, operation: WebhookOperationId): Payload {
  const name = valueAt(body, "/event");
  const validator = isEventName(name) ? schemas[messages[name].schema] : requests[operation].body;
  if (!validator(body)) return malformed(body, validator.errorsOf(body), operation);
  if (isEventName(name)) return { kind: "message", event: body as Message };
  const [expected, actual] = [eventNames.join(", "), JSON.stringify(String(name).slice(0, 100))];
  return { kind: "foreign", found: found("webhook_event_unknown", { operation, expected, actual }) };
}

function malformed(body: unknown, errors: readonly FieldError[], operation: WebhookOperationId): Refused {
  const all = body === undefined ? [{ pointer: "", message: "is missing" }] : errors;
  return {
    kind: "refused",
    problem: problem("validation_failed", { detail: "The request is not valid.", errors: [...all] }),
    found: all.map((error) => {
      const { path, expected } = faultOf(body, error);
      const isMissing = error.message === "is missing";
      return found("webhook_payload_wrong", {
        operation,
        expected: isMissing ? `${path}, which is missing` : `${path}: ${expected}`,
        actual: describe(valueAt(body, error.pointer)),
      });
    }),
  };
}

/** Returns the kind of a value, never the value: a wrong field may contain anything. */
function describe(value: unknown): string {
  return typeof value === "string" ? `a string of ${value.length} characters` : kindOf(value);
}
