import type { TraceStep } from "../../../generated/operations/types.ts";

export interface StoryStep {
  step: TraceStep;
  /** What the step is called. */
  name: string;
  /** Since the story began. Milliseconds. */
  afterMs: number;
}

const NAMES: Readonly<Record<string, string>> = {
  webhook: "Webhook",
  event: "Event",
  fetch: "Shift read",
  job: "Job",
  match: "Matching",
  notification: "Notification",
  booking: "Booking",
  candidate: "Candidate",
  assign: "Assignment",
  unassign: "Unassignment",
  cancel: "Cancellation",
  change: "Change",
  registry: "Registry",
};

/** The steps with their names, and how far each is from the first. */
export function storyOf(steps: readonly TraceStep[]): StoryStep[] {
  const start = Date.parse(steps[0]?.at ?? "");
  return steps.map((step) => ({
    step,
    name: NAMES[step.step] ?? step.step,
    afterMs: Math.max(0, Date.parse(step.at) - start),
  }));
}
