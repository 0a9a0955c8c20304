import type { TaskEnd, Write } from "./task.ts";

/** The other side could not be reached: the task is tried again, no sooner than it asked for. That it was not asked at all is no try. */
export function later(
  { reason, retryAfterMs, notAsked }: { reason: string; retryAfterMs?: number; notAsked?: true },
  write?: Write,
): TaskEnd {
  return {
    end: "retry",
    reason,
    ...(retryAfterMs !== undefined && { afterMs: retryAfterMs }),
    ...(notAsked && { countsAsTry: false }),
    ...(write && { write }),
  };
}
