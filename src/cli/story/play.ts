import { playFlows } from "./flows.ts";
import { onboard } from "./onboarding.ts";
import { type Stage, StoryFailed } from "./stage.ts";

/** Runs onboarding and the four flows, and prints each step. Returns whether all succeeded. */
export async function playStory(stage: Stage): Promise<boolean> {
  const { teller } = stage;
  const startedAt = performance.now();
  try {
    const job = await playFlows(stage, await onboard(stage));
    teller.line("");
    teller.line(`All four flows completed in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
    teller.line(`The complete trace: GET /operations/v1/traces/${job.traceId}`);
    return true;
  } catch (error) {
    if (!(error instanceof StoryFailed)) throw error;
    teller.failed(error.step, error.message);
    teller.line("");
    teller.line(`Failed at: ${error.step}.`);
    return false;
  }
}
