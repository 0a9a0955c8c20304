import { sql } from "kysely";
import { DAY_MS } from "../../contract/durations.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { FIGURES } from "../metrics/figures.ts";
import { transact } from "../transaction.ts";

const CODE = "provider_quiet";
const SILENT_DAYS = 3;
/** The days before, in which a provider that is missed has sent webhooks. */
const BUSY_DAYS = 7;
const FEWEST = 20;

/** How long the silence needs figures. Days. */
export const FIGURE_DAYS = SILENT_DAYS + BUSY_DAYS + 1;

/** Raises an issue for each active provider that sent at least 20 webhooks in a week and then none for three days. Resolves it when it sends again. */
export async function watchSilence(deps: Deps): Promise<void> {
  const since = new Date(deps.now().getTime() - SILENT_DAYS * DAY_MS);
  const from = new Date(since.getTime() - BUSY_DAYS * DAY_MS);
  const { rows } = await sql<{ providerId: string; count: number; isQuiet: boolean }>`
    select provider_id, is_quiet, (
      select coalesce(sum(value), 0)::int from figures
      where figures.provider_id = known.provider_id and name = ${FIGURES.webhooks} and minute >= ${from} and minute < ${since}) as count
    from (
      select provider_id,
        not exists (select 1 from figures where figures.provider_id = integrations.provider_id
          and name = ${FIGURES.webhooks} and minute >= ${since}) as is_quiet,
        exists (select 1 from issues where issues.provider_id = integrations.provider_id
          and code = ${CODE} and resolved_at is null) as is_known
      from integrations where state = 'active') as known
    where is_quiet <> is_known`.execute(deps.database.kysely);
  for (const { providerId, count, isQuiet } of rows) {
    const issue = { providerId, subject: { kind: "integration" } } as const;
    if (isQuiet && count < FEWEST) continue;
    await transact(deps, async (trx) => {
      if (!isQuiet) await resolveIssues(trx, deps, { ...issue, codes: [CODE] });
      else await raiseIssue(trx, deps, { ...issue, code: CODE, params: { count }, once: true });
    });
  }
}
