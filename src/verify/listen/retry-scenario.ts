import { isDeepStrictEqual } from "node:util";
import type { Message } from "../../../generated/events/types.ts";
import type { Code } from "../codes/codes.ts";
import { type Found, found, type Outcome, passed, skipped } from "../finding.ts";
import type { WebhookOperationId } from "./webhook-operations.ts";

export type EventName = Message["event"];

/** `fail`: a deliberate 500; `hold`: a deliberately late 200; `limit`: a deliberate 429 with Retry-After. */
export type Reply = "fail" | "hold" | "limit" | "acknowledge";

/** One event with its attempts, identified by organisation, name, shift and traceId (decisions, "duplicate traceId"). */
interface Delivery {
  event: Message;
  operation: WebhookOperationId;
  treatment: Reply;
  attempts: number;
  isAcknowledged: boolean;
  /** Whether the sender closed the connection before the response. */
  hasGivenUp: boolean;
  /** Whether the time of its Retry-After is over. */
  mayRetry: boolean;
}

/** One attempt of an event: the response, and findings so far. */
export interface Attempt {
  reply: Reply;
  /** 1: the first attempt. */
  number: number;
  note: string | undefined;
  found: Found | undefined;
  /** What the response came to is noted here. */
  delivery: Pick<Delivery, "isAcknowledged" | "hasGivenUp" | "mayRetry">;
}

/**
 * The scenario for a sender: the first event fails once, one later event gets a late response, another one is limited, and each
 * expected event must be received. It is independent of time and HTTP.
 */
export interface RetryScenario {
  receive(event: Message, operation: WebhookOperationId): Attempt;
  isComplete(): boolean;
  /** @param within the waiting time for texts: "120 s" */
  outcomes(within: string): Outcome[];
}

/** Of a deliberate 429: longer than the recommended first delay of 5 s, so that a sender that ignores it is too early. */
export const RETRY_AFTER_S = 10;
/** Events that get another response than 200 first; a 429 comes only if so many are expected. */
const TREATED = 3;

export function createRetryScenario(expected: readonly EventName[]): RetryScenario {
  const deliveries = new Map<string, Delivery>();
  const treated = (treatment: Reply) => [...deliveries.values()].find((each) => each.treatment === treatment);

  function treatmentOf(event: Message): Reply {
    const [failed, held] = [treated("fail"), treated("hold")];
    if (!failed) return "fail";
    const open = [failed, held].find(
      (each) => each && !each.isAcknowledged && isSameChange(each.event, event),
    );
    // A later edit of the shift, or a retry under another traceId: its own retry shows which.
    const isFirst = [...deliveries.values()].filter((each) => isSameChange(each.event, event)).length === 1;
    if (open && isFirst && mayRecur(event)) return "fail";
    // A possible retry under another traceId must not be delayed.
    if ([failed, held].some((each) => each && isSameChange(each.event, event))) return "acknowledge";
    if (!held) return "hold";
    return treated("limit") || expected.length < TREATED ? "acknowledge" : "limit";
  }

  function begin(event: Message, operation: WebhookOperationId): Delivery {
    const treatment = treatmentOf(event);
    const isNot = { isAcknowledged: false, hasGivenUp: false, mayRetry: false };
    const delivery = { event, operation, treatment, attempts: 0, ...isNot };
    deliveries.set(keyOf(event), delivery);
    return delivery;
  }

  const isAcknowledged = (name: EventName) =>
    [...deliveries.values()].some((delivery) => delivery.event.event === name && delivery.isAcknowledged);

  return {
    receive: (event, operation) => {
      const delivery = deliveries.get(keyOf(event)) ?? begin(event, operation);
      const isRetry = delivery.attempts > 0;
      const note = isRetry ? "repeated with the same traceId" : suspicion(event, deliveries.values());
      const reply = isRetry ? "acknowledge" : delivery.treatment;
      const found = isRetry ? judgeRetry(delivery, event) : undefined;
      delivery.attempts += 1;
      return { reply, note, found, delivery, number: delivery.attempts };
    },
    isComplete: () => {
      const isOver = (treatment: Reply, least: number) =>
        treated(treatment)?.isAcknowledged ?? expected.length < least;
      return (
        expected.every(isAcknowledged) && isOver("fail", 0) && isOver("hold", 2) && isOver("limit", TREATED)
      );
    },
    outcomes: (within) => [
      ...expected.map((name) => {
        const missing = {
          expected: `a valid ${name}, sent until it is acknowledged`,
          actual: `none within ${within}`,
        };
        return isAcknowledged(name)
          ? passed("provider", `${name} is sent`)
          : found("webhook_event_missing", missing);
      }),
      ...(["fail", "hold", "limit"] as const)
        .slice(0, expected.length < TREATED ? 2 : 3)
        .map((treatment) => judgeTreated(treatment, [...deliveries.values()], within)),
      ...judgeTraces([...deliveries.values()]),
    ],
  };
}

/** Returns a key; UUIDs are case-insensitive (RFC 9562). */
function keyOf({ event, providerId, content, traceId }: Message): string {
  return [event, providerId, content.shiftId, traceId].join(" ").toLowerCase();
}

function isSameChange(left: Message, right: Message): boolean {
  return keyOf({ ...left, traceId: "" }) === keyOf({ ...right, traceId: "" });
}

/** A shift is created and deleted once, and updated any number of times. */
const mayRecur = ({ event }: Message) => event === "shift.update";

function isSameTrace(left: Message, right: Message): boolean {
  return left.traceId.toLowerCase() === right.traceId.toLowerCase();
}

function suspicion(event: Message, deliveries: Iterable<Delivery>): string | undefined {
  for (const earlier of deliveries) {
    if (earlier.event === event || earlier.isAcknowledged) continue;
    if (isSameChange(earlier.event, event))
      return mayRecur(event)
        ? "a later edit, or a retry of an earlier webhook: that must keep its traceId"
        : "possible retry of an earlier webhook: it must keep its traceId";
    if (isSameTrace(earlier.event, event))
      return "possible retry of an earlier webhook: it must keep its payload";
  }
  return undefined;
}

function judgeRetry(delivery: Delivery, event: Message): Found | undefined {
  const { operation } = delivery;
  if (!isDeepStrictEqual(delivery.event, event)) {
    return found("webhook_retry_extras_changed", {
      operation,
      expected: "the same payload on every attempt",
      actual: `${event.event} with the same ids, but different fields or spelling`,
    });
  }
  if (delivery.treatment === "limit" && !delivery.mayRetry && !delivery.isAcknowledged) {
    return found("webhook_retry_too_early", {
      operation,
      expected: `no attempt within the ${RETRY_AFTER_S} s of Retry-After`,
      actual: `a repeated ${event.event}`,
    });
  }
  // After a timeout the sender has no acknowledgement.
  if (!delivery.isAcknowledged || delivery.treatment === "hold") return undefined;
  return found("webhook_sent_again", {
    operation,
    expected: "no further attempt after a 200",
    actual: `a repeated ${event.event}`,
  });
}

/** The title of the check of each treatment, and the finding without a retry. */
const TREATMENTS = {
  fail: ["a webhook is retried unchanged after a 500", "webhook_not_retried"],
  hold: [
    "a webhook with a late response is retried unchanged, unless the sender waits",
    "webhook_slow_not_retried",
  ],
  limit: ["a webhook is retried unchanged after a 429", "webhook_limited_not_retried"],
} as const satisfies Partial<Record<Reply, readonly [string, Code]>>;

function judgeTreated(treatment: keyof typeof TREATMENTS, deliveries: Delivery[], within: string): Outcome {
  const [title, silence] = TREATMENTS[treatment];
  const delivery = deliveries.find((each) => each.treatment === treatment);
  const isHeld = treatment === "hold";
  if (delivery && (delivery.attempts > 1 || (isHeld && delivery.isAcknowledged)))
    return passed(delivery.operation, title);
  if (!delivery || (isHeld && !delivery.hasGivenUp))
    return skipped("skipped_not_sent", "provider", title, "no suitable webhook was received");
  return judgeUnrepeated(delivery, deliveries, silence, within);
}

/** Returns the finding for an event without a retry. A changed traceId or payload has its own code. */
function judgeUnrepeated(delivery: Delivery, deliveries: Delivery[], silence: Code, within: string): Found {
  const { event, operation } = delivery;
  const later = deliveries.slice(deliveries.indexOf(delivery) + 1);
  const expected = `a retry of ${event.event} within ${within}, with the same traceId and payload`;
  const same = later.filter((other) => isSameChange(other.event, event));
  const isEdit = mayRecur(event) && (same.length === 1 || same.some(({ attempts }) => attempts > 1));
  if (same.length > 0 && !isEdit) {
    const actual = `${event.event} of the same shift with another traceId, but never with the first one`;
    return found("webhook_retry_trace_changed", { operation, expected, actual });
  }
  if (later.some((other) => isSameTrace(other.event, event))) {
    const actual = "the same traceId with another event or shift, but never with the first one";
    return found("webhook_retry_payload_changed", { operation, expected, actual });
  }
  return found(silence, { operation, expected, actual: "no further attempt" });
}

/** Reports reused traceIds, except those of retries with another payload. */
function judgeTraces(deliveries: Delivery[]): Outcome[] {
  const single = deliveries.filter((each) => each.treatment !== "acknowledge" && each.attempts === 1);
  const reused = deliveries.filter((delivery, index) =>
    deliveries
      .slice(0, index)
      .some((earlier) => !single.includes(earlier) && isSameTrace(earlier.event, delivery.event)),
  );
  return reused.map(({ operation, event }) =>
    found("webhook_trace_reused", {
      operation,
      expected: "a different traceId for each event",
      actual: `${event.event} with the traceId of another event`,
    }),
  );
}
