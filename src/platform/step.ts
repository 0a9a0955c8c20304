import type { OutcomeCode, Params, StepName } from "../../generated/operations/types.ts";
import type { Unavailable } from "../clients/provider/answer.ts";

/** A step of a trace: an action and its outcome. It never contains personal data. */
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

/** Returns why a call got no usable response, as parameters of a step or an issue. */
export function failureParams({
  failure,
  status,
  pointers,
  providerCode,
  retryAfterMs,
}: Unavailable): Params {
  return {
    failure,
    ...(status !== undefined && { status }),
    ...(pointers !== undefined && { pointers: [...pointers] }),
    ...(providerCode !== undefined && { providerCode }),
    ...(retryAfterMs !== undefined && { afterMs: Math.round(retryAfterMs) }),
  };
}
