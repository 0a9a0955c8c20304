import { runFlows } from "./flows.ts";
import { onboard } from "./onboarding.ts";
import { type DemoContext, StepFailed } from "./step.ts";

/** Runs onboarding and the four flows, and prints each step. Returns whether all succeeded. */
export async function runDemo(demo: DemoContext): Promise<boolean> {
  const { printer } = demo;
  const startedAt = performance.now();
  try {
    const job = await runFlows(demo, await onboard(demo));
    printer.line("");
    printer.line(`All four flows completed in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
    printer.line(`The complete trace: GET /operations/v1/traces/${job.traceId}`);
    return true;
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
    printer.failed(error.step, error.message);
    printer.line("");
    printer.line(`Failed at: ${error.step}.`);
    return false;
  }
}
