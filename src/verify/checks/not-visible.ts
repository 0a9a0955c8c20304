import { type Outcome, skipped } from "../finding.ts";
import type { Check } from "./check.ts";

/** What the contract asks for and no caller can see (contract 5): said, so that nobody takes it for checked. */
export const notVisible: Check = { group: "answers", isByTitle: true, needs: [], run: say };

async function* say(): AsyncGenerator<Outcome> {
  const look = "it cannot be seen from outside: look at your side";
  yield skipped("skipped_not_visible", "provider", "calls are logged with the traceId of X-Trace-Id", look);
  yield skipped("skipped_not_visible", "provider", "calls are limited in their rate", look);
}
