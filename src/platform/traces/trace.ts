import type { Trx } from "../queue/task.ts";

/** The stations of a story. `webhook` is read from the event itself. */
export type StepName =
  | "fetch"
  | "job"
  | "match"
  | "notification"
  | "booking"
  | "candidate"
  | "assign"
  | "unassign"
  | "cancel"
  | "change"
  | "event"
  | "registry";

export interface Step {
  traceId: string;
  step: StepName;
  /** What came of it, for a person: `skipped: echo of our DELETE`. Never holds personal data. */
  verdict: string;
  /** Milliseconds. */
  durationMs?: number;
  providerId?: string;
  shiftId?: string;
  jobId?: string;
  detail?: Record<string, unknown>;
}

/** Writes steps of a story, in the transaction that made them true. */
export async function recordSteps(trx: Trx, steps: readonly Step[]): Promise<void> {
  if (steps.length === 0) return;
  await trx
    .insertInto("trace_steps")
    .values(
      steps.map((step) => ({
        trace_id: step.traceId,
        step: step.step,
        verdict: step.verdict,
        duration_ms: step.durationMs ?? null,
        provider_id: step.providerId ?? null,
        shift_id: step.shiftId ?? null,
        job_id: step.jobId ?? null,
        detail: JSON.stringify(step.detail ?? {}),
      })),
    )
    .execute();
}
