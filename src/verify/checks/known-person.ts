import { parsePersonalNumber } from "../../contract/personal-number.ts";
import { type Outcome, skipped } from "../finding.ts";
import { lookUpBoth } from "../person.ts";
import type { Run } from "../run.ts";
import type { Check } from "./check.ts";
import { judgeLookups } from "./lookups.ts";

/** Somebody whom the provider knew before this run (contract 4.2, 2.8). */
export const knownPerson: Check = {
  ...{ group: "answers", needs: ["nobody"], gives: ["known", "number"], run: findKnown },
};

async function* findKnown(run: Run): AsyncGenerator<Outcome> {
  const { knownPersonalNumber, knownCandidateId } = run.fixtures;
  const title = "somebody whom the provider knows is found";
  const number = parsePersonalNumber(knownPersonalNumber ?? "");
  if (number === undefined) {
    const reason =
      knownPersonalNumber === undefined
        ? "nobody is known: give --fixtures with a knownPersonalNumber, or --states-url"
        : "knownPersonalNumber is no personal number: give YYYYMMDDXXXX or YYYYMMDD-XXXX";
    return yield skipped("skipped_not_prepared", "findCandidates", title, reason);
  }
  const sought = {
    number,
    candidateId: knownCandidateId,
    who: "the known person",
    missed: "lookup_misses",
  } as const;
  yield* judgeLookups(run, sought, await lookUpBoth(run, number));
}
