import { playFlows } from "./flows.ts";
import { onboard } from "./onboarding.ts";
import { type Stage, StoryFailed } from "./stage.ts";

/** Plays the whole story and tells it; answers whether it went right. What went wrong is told with the step's name. */
export async function playStory(stage: Stage): Promise<boolean> {
  const { teller } = stage;
  const startedAt = performance.now();
  try {
    const job = await playFlows(stage, await onboard(stage));
    teller.line("");
    teller.line(`All four flows went right, in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
    teller.line(`The whole story, step by step: GET /operations/v1/traces/${job.traceId}`);
    return true;
  } catch (error) {
    if (!(error instanceof StoryFailed)) throw error;
    teller.failed(error.step, error.message);
    teller.line("");
    teller.line(`The story went wrong at: ${error.step}.`);
    return false;
  }
}
