import { type Exchange, isPlain } from "../exchange.ts";
import { found, type Outcome, passed, refused, skipped } from "../finding.ts";
import { type Run, sendOnce } from "../run.ts";
import type { Check } from "./check.ts";

/** The outlet and role of a shift are listed, because they are mapped before activation (contract 1, 2.6, 2.7). */
export const organisation: Check = { group: "answers", needs: ["shift"], run: check };

const LISTS = [
  { operation: "listOutlets", field: "outletId", unknown: "outlet_unknown", thing: "outlet" },
  { operation: "listRoles", field: "roleId", unknown: "role_unknown", thing: "role" },
] as const;

type List = (typeof LISTS)[number];

async function* check(run: Run): AsyncGenerator<Outcome> {
  const exchanges = await Promise.all(LISTS.map(({ operation }) => sendOnce(run, { operation })));
  for (const [index, list] of LISTS.entries()) {
    const exchange = exchanges[index];
    if (exchange) yield judgeList(list, exchange, idsOf(exchange), run.known.shift?.[list.field]);
  }
}

function idsOf(exchange: Exchange): Set<string> | undefined {
  if (!isPlain(exchange) || exchange.answer.status !== 200 || !Array.isArray(exchange.answer.json))
    return undefined;
  return new Set(exchange.answer.json.map((entry) => String(entry?.id)));
}

function judgeList(
  { operation, unknown, thing }: List,
  exchange: Exchange,
  ids: ReadonlySet<string> | undefined,
  named: string | undefined,
): Outcome {
  const title = `the shift's ${thing} is listed`;
  if (isPlain(exchange) && exchange.answer.status >= 400) {
    return refused(exchange, `200 with the ${thing}s`);
  }
  if (!ids) return skipped("skipped_after_failure", operation, title, `the ${thing}s cannot be read`);
  if (named === undefined) {
    const reason = "no readable shift: provide --fixtures with a shiftId";
    return skipped("skipped_not_prepared", operation, title, reason);
  }
  if (ids.has(named)) return passed(operation, title);
  return found(unknown, { exchange, expected: `the ${thing} of the shift`, actual: "not listed" });
}
