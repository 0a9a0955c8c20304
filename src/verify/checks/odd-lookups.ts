import type { Probe } from "../exchange.ts";
import { type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { TEST_NUMBERS } from "../test-numbers.ts";
import type { Check } from "./check.ts";
import { answersTo } from "./each-operation.ts";

/** Unusual lookups. The contract defines no response: a list or a refusal is right, but not a 5xx. */
export const oddLookups: Check = { group: "errors", needs: ["unknownCandidate"], run: lookUpOddly };

const LONG = "1".repeat(600);

const [ANY = ""] = TEST_NUMBERS;
const NO_DAY = `${ANY.slice(0, 4)}1341${ANY.slice(8)}`;

const QUERIES: Readonly<Record<string, Probe["query"]>> = {
  "a lookup without a query": undefined,
  "a lookup of an empty number": { personalNumber: "" },
  "a lookup of two digits": { personalNumber: "12" },
  "a lookup of letters": { personalNumber: "abcdefghijkl" },
  "a lookup of a number with an invalid date": { personalNumber: NO_DAY },
  "a lookup of 600 digits": { personalNumber: LONG },
  "a lookup of a name of 600 digits": { name: LONG },
  "a lookup of a name of emojis": { name: "\u{1F469}\u200D\u{1F373}" },
};

async function* lookUpOddly(run: Run): AsyncGenerator<Outcome> {
  const asked = Object.entries(QUERIES).map(([name, query]): [string, Probe] => [
    name,
    { operation: "findCandidates", ...(query && { query }) },
  ]);
  for (const [name] of await answersTo(run, asked)) {
    yield passed("findCandidates", `${name} causes no server error`);
  }
}
