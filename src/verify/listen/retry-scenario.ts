import { isDeepStrictEqual } from "node:util";
import type { Message } from "../../../generated/events/types.ts";
import { type Found, found, type Outcome, type Passed, passed, type Skipped, skipped } from "../finding.ts";
import type { WebhookOperationId } from "./webhook-operations.ts";

export type EventName = Message["event"];

/** `fail`: 500, on purpose; `hold`: 200, but late, on purpose. */
export type Reply = "fail" | "hold" | "acknowledge";

/** One event, known by organisation, name, shift and traceId (decisions, "duplicate traceId"), with its tries. */
interface Story {
  event: Message;
  operation: WebhookOperationId;
  treatment: Reply;
  tries: number;
  isAcknowledged: boolean;
  hasGivenUp: boolean;
}

/** One try of an event: how to answer it, and what is already wrong with it. */
export interface Try {
  reply: Reply;
  /** 1: the first. */
  number: number;
  /** What a person who watches should know. */
  note: string | undefined;
  found: Found | undefined;
  acknowledged(): void;
  /** The sender closed the connection before it had its answer. */
  gaveUp(): void;
}

/**
 * What a sender is put through: the first event's first try fails, a later event's first try is answered late, and each event
 * that is expected has to come. It knows no clock and no HTTP.
 */
export interface Exam {
  take(event: Message, operation: WebhookOperationId): Try;
  /** Whether there is nothing left to wait for. */
  isOver(): boolean;
  /** @param within words for how long was waited: "120 s". */
  outcomes(within: string): Outcome[];
}

export function createExam(expected: readonly EventName[]): Exam {
  const stories = new Map<string, Story>();
  const treated = (treatment: Reply) => [...stories.values()].find((each) => each.treatment === treatment);

  function treatmentOf(event: Message): Reply {
    const failed = treated("fail");
    if (!failed) return "fail";
    // What may be a try of the failed one under another traceId says more when it is not held.
    return treated("hold") || isSameChange(failed.event, event) ? "acknowledge" : "hold";
  }

  function begin(event: Message, operation: WebhookOperationId): Story {
    const treatment = treatmentOf(event);
    const story = { event, operation, treatment, tries: 0, isAcknowledged: false, hasGivenUp: false };
    stories.set(keyOf(event), story);
    return story;
  }

  const isAcknowledged = (name: EventName) =>
    [...stories.values()].some((story) => story.event.event === name && story.isAcknowledged);

  return {
    take: (event, operation) => {
      const story = stories.get(keyOf(event)) ?? begin(event, operation);
      const isRetry = story.tries > 0;
      const note = isRetry ? "again, with the same traceId" : suspicion(event, stories.values());
      const one = {
        reply: isRetry ? "acknowledge" : story.treatment,
        note,
        found: isRetry ? judgeRetry(story, event) : undefined,
        acknowledged: () => {
          story.isAcknowledged = true;
        },
        gaveUp: () => {
          story.hasGivenUp = true;
        },
      } as const;
      story.tries += 1;
      return { ...one, number: story.tries };
    },
    isOver: () => {
      const held = treated("hold");
      const isHoldOver = held ? held.isAcknowledged : expected.length < 2;
      return expected.every(isAcknowledged) && (treated("fail")?.isAcknowledged ?? false) && isHoldOver;
    },
    outcomes: (within) => [
      ...expected.map((name) => judgeExpected(name, isAcknowledged(name), within)),
      ...judgeFailed(treated("fail"), [...stories.values()], within),
      ...judgeHeld(treated("hold"), [...stories.values()], within),
      ...judgeTraces([...stories.values()]),
    ],
  };
}

/** UUIDs are the same in either case (RFC 9562). */
function keyOf({ event, providerId, content, traceId }: Message): string {
  return [event, providerId, content.shiftId, traceId].join(" ").toLowerCase();
}

function isSameChange(left: Message, right: Message): boolean {
  return keyOf({ ...left, traceId: "" }) === keyOf({ ...right, traceId: "" });
}

function isSameTrace(left: Message, right: Message): boolean {
  return left.traceId.toLowerCase() === right.traceId.toLowerCase();
}

function suspicion(event: Message, stories: Iterable<Story>): string | undefined {
  for (const earlier of stories) {
    if (earlier.event === event || earlier.isAcknowledged) continue;
    if (isSameChange(earlier.event, event)) return "a try of an earlier webhook? It must keep its traceId";
    if (isSameTrace(earlier.event, event)) return "a try of an earlier webhook? It must keep its payload";
  }
  return undefined;
}

function judgeRetry(story: Story, event: Message): Found | undefined {
  const { operation } = story;
  if (!isDeepStrictEqual(story.event, event)) {
    return found("webhook_retry_extras_changed", {
      operation,
      expected: "the same payload on every try",
      actual: `${event.event} with the same ids, and other fields or another spelling than before`,
    });
  }
  // Who gave up has no acknowledgement, whatever was sent in the end.
  if (!story.isAcknowledged || story.treatment === "hold") return undefined;
  return found("webhook_sent_again", {
    operation,
    expected: "no further try after a 200",
    actual: `${event.event} again`,
  });
}

function judgeExpected(name: EventName, isAcknowledged: boolean, within: string): Found | Passed {
  if (isAcknowledged) return passed("provider", `${name} is sent`);
  return found("webhook_event_missing", {
    expected: `a valid ${name}, sent until it is acknowledged`,
    actual: `none within ${within}`,
  });
}

function judgeFailed(failed: Story | undefined, stories: Story[], within: string): Outcome[] {
  const title = "a webhook that is answered with 500 is sent again, the same";
  if (!failed) return [notSent(title)];
  if (failed.tries > 1) return [passed(failed.operation, title)];
  return [judgeUnrepeated(failed, stories, "webhook_not_retried", within)];
}

function judgeHeld(held: Story | undefined, stories: Story[], within: string): Outcome[] {
  const title = "a webhook that is answered late is waited for, or sent again, the same";
  if (!held) return [notSent(title)];
  if (held.isAcknowledged || held.tries > 1) return [passed(held.operation, title)];
  if (!held.hasGivenUp) return [notSent(title)];
  return [judgeUnrepeated(held, stories, "webhook_slow_not_retried", within)];
}

function notSent(title: string): Skipped {
  return skipped("skipped_not_sent", "provider", title, "no webhook came that it could be tried with");
}

/** Never sent again as it was: perhaps under another traceId, or with another payload. */
function judgeUnrepeated(
  story: Story,
  stories: Story[],
  silence: "webhook_not_retried" | "webhook_slow_not_retried",
  within: string,
): Found {
  const { event, operation } = story;
  const later = stories.slice(stories.indexOf(story) + 1);
  const expected = `${event.event} again within ${within}, with the same traceId and payload`;
  if (later.some((other) => isSameChange(other.event, event))) {
    const actual = `${event.event} of the same shift under another traceId, and never under the first one`;
    return found("webhook_retry_trace_changed", { operation, expected, actual });
  }
  if (later.some((other) => isSameTrace(other.event, event))) {
    const actual = "the same traceId with another event or another shift, and never with the first one";
    return found("webhook_retry_payload_changed", { operation, expected, actual });
  }
  return found(silence, { operation, expected, actual: "no further try" });
}

/** A trace of a retry with another payload is reported there. */
function judgeTraces(stories: Story[]): Outcome[] {
  const told = stories.filter(({ treatment, tries }) => treatment !== "acknowledge" && tries === 1);
  const reused = stories.filter((story, index) =>
    stories
      .slice(0, index)
      .some((earlier) => !told.includes(earlier) && isSameTrace(earlier.event, story.event)),
  );
  return reused.map(({ operation, event }) =>
    found("webhook_trace_reused", {
      operation,
      expected: "a traceId of its own for each event",
      actual: `${event.event} with the traceId of another event`,
    }),
  );
}
