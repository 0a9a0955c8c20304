import type { TestContext } from "vitest";

/** What a test under load counted. The benchmark's section "operation" reads it from vitest's JSON report. */
export interface Figures {
  what: string;
  /** Webhooks that were acknowledged with 200. */
  acknowledged: number;
  /** Webhooks that got another response, or none. Absent where the sender repeats them. */
  failed?: number;
  /** Acknowledged webhooks that are not in the database afterwards. */
  lost: number;
  /** The longest acknowledgement. Milliseconds. */
  longestMs?: number;
}

declare module "vitest" {
  interface TaskMeta {
    figures?: Figures;
  }
}

export function recordFigures(task: TestContext["task"], figures: Figures): void {
  task.meta.figures = figures;
}
