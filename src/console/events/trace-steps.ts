import type { TraceStep } from "../../../generated/operations/types.ts";

export interface TimedStep {
  step: TraceStep;
  /** Since the first step of the trace. Milliseconds. */
  afterMs: number;
}

/** The steps of a trace, each with its distance from the first. */
export function timedSteps(steps: readonly TraceStep[]): TimedStep[] {
  const start = Date.parse(steps[0]?.at ?? "");
  return steps.map((step) => ({ step, afterMs: Math.max(0, Date.parse(step.at) - start) }));
}
