import { type Outcome, skipped } from "../finding.ts";
import { secondOf } from "../person.ts";
import type { Run } from "../run.ts";
import { judgeCreation } from "./candidates.ts";
import type { Check } from "./check.ts";

/** The full payload of a hire (contract 2.4). One more test person stays at the provider. */
export const hire: Check = {
  ...{
    group: "meaning",
    needs: ["nobody", "person"],
    gives: ["second"],
    holds: { people: "adds" },
    run: check,
  },
};

async function* check(run: Run): AsyncGenerator<Outcome> {
  if (!run.mayChange) {
    const title = "a candidate is created with the full payload";
    return yield skipped("skipped_read_only", "createCandidate", title, "it would change data");
  }
  yield* judgeCreation(run, await secondOf(run), "the candidate of the full payload");
}
