import type { BacklogLimit, BacklogLimitCode, Params } from "../../../generated/operations/types.ts";
import { healthText } from "./health.ts";
import { after, counted, entryOf } from "./phrases.ts";

type Text = (params: Params) => string;

const LIMITS = {
  none: () => "Nothing waits.",
  draft: () => "The integration is a draft: its work waits for the activation.",
  suspended: () => "The integration is suspended: its work waits until it is activated again.",
  paused: ({ health }) => `Work is paused${after(": ", health && stateText(health))}.`,
  rate_limit: ({ until, perMinute }) =>
    until
      ? "The provider asked the platform to send no calls for a while."
      : `Calls wait for the limit of ${counted(perMinute, "call")} per minute.`,
  latency: ({ responseMs, atOnce }) =>
    `The provider takes ${responseText(responseMs)} for a response, and at most ${counted(atOnce, "run")} can call it at the same time.`,
  working: () => "Only the platform's own pace limits it.",
} satisfies Record<BacklogLimitCode, Text>;

/** What limits a backlog. */
export const backlogText = ({ code, params }: BacklogLimit): string =>
  entryOf<Text>(LIMITS, code)?.(params) ?? code;

const stateText = (code: NonNullable<Params["health"]>): string =>
  healthText({ code, paused: "nothing", resumes: "automatically" }).title.toLowerCase();

function responseText(ms: number | undefined): string {
  if (ms === undefined) return "long";
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
