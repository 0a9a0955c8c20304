import type { OutcomeCode, Params, StepName } from "../../../generated/operations/types.ts";

/** A step of a trace: what was done, and what it came to. Never holds personal data. */
export interface Step {
  traceId: string;
  step: StepName;
  code: OutcomeCode;
  params?: Params;
  /** Milliseconds. */
  durationMs?: number;
  providerId: string;
  shiftId?: string;
  jobId?: string;
}
