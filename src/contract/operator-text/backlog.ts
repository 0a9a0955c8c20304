import type { BacklogLimit, BacklogLimitCode, Params } from "../../../generated/operations/types.ts";
import { healthText } from "./health.ts";
import { after, counted, entryOf } from "./phrases.ts";

export interface BacklogText {
  /** What limits the backlog. */
  detail: string;
  /** Where `doneAt` is null: what has to happen first. */
  unknown: string;
}

type Text = (params: Params) => BacklogText;

const NO_PACE = "Unknown until something is finished";

const LIMITS = {
  none: () => ({ detail: "Nothing waits.", unknown: "Nothing to do" }),
  draft: () => ({
    detail: "The integration is a draft: its work waits for the activation.",
    unknown: "Unknown until the integration is activated",
  }),
  suspended: () => ({
    detail: "The integration is suspended: its work waits until it is activated again.",
    unknown: "Unknown until the integration is activated",
  }),
  paused: ({ health }) => ({
    detail: `Work is paused${after(": ", health && stateText(health))}.`,
    unknown: "Unknown until the provider has recovered",
  }),
  rate_limit: ({ until, perMinute }) => ({
    detail: until
      ? "The provider asked the platform to send no calls for a while."
      : `Calls wait for the limit of ${counted(perMinute, "call")} per minute.`,
    unknown: NO_PACE,
  }),
  latency: ({ responseMs, atOnce }) => ({
    detail: `The provider takes ${responseText(responseMs)} for a response, and at most ${counted(atOnce, "run")} can call it at the same time.`,
    unknown: NO_PACE,
  }),
  working: () => ({ detail: "Only the platform's own pace limits it.", unknown: NO_PACE }),
} satisfies Record<BacklogLimitCode, Text>;

/** What limits a backlog, and what has to happen before its end is known. */
export function backlogText({ code, params }: BacklogLimit): BacklogText {
  return entryOf<Text>(LIMITS, code)?.(params) ?? { detail: code, unknown: NO_PACE };
}

const stateText = (code: NonNullable<Params["health"]>): string =>
  healthText({ code, paused: "nothing", resumes: "automatically" }).title.toLowerCase();

function responseText(ms: number | undefined): string {
  if (ms === undefined) return "long";
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
