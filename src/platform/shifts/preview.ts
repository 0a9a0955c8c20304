import { failureText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import type { StoredEvent } from "../db/schema.ts";
import { atOneTime, type Deps } from "../deps.ts";
import { type Trx, writeRows } from "../transaction.ts";
import { act } from "./act.ts";
import { loadShift, type ShiftKey } from "./observe/load.ts";
import { plan } from "./plan/plan.ts";
import type { RunSoFar } from "./plan/state.ts";
import { record } from "./record/record.ts";
import { loadWithSurroundings, rulesOf } from "./run.ts";

/**
 * Reads the shift as a run would, but concludes at once instead of reading again later. `record` writes what the run would write, except calls.
 * @throws ProblemError provider_unavailable
 */
export async function previewReading(
  running: Deps,
  key: ShiftKey,
  event: StoredEvent,
): Promise<{ record(trx: Trx): Promise<void> }> {
  const deps = atOneTime(running);
  const loaded = await loadShift(deps.database.kysely, key, deps.now());
  if (!loaded) throw problem("provider_not_found", { detail: "No integration has this providerId." });
  const { signal } = new AbortController();
  const acting = {
    client: deps.clientFor(loaded.integration),
    signal,
    shiftId: loaded.spelling,
    waiting: [event.event_id],
  };
  const traceId = event.trace_id;
  const first: RunSoFar = { isFirst: true, failed: new Set(), attempts: 1, traceId };
  let run = await act({ do: "read", traceId }, first, acting);
  if (run.reading?.outcome.kind === "absent") run = await act({ do: "witness", traceId }, run, acting);
  const outcome = run.reading?.outcome;
  const isImplausible =
    outcome?.kind === "absent" && run.reading?.witness === "bad" && outcome.code === undefined;
  if (outcome?.kind === "unavailable" || isImplausible) {
    const reason = outcome?.kind === "unavailable" ? failureText(outcome) : "every request returns 404";
    throw problem("provider_unavailable", { detail: `The shift could not be read: ${reason}.` });
  }
  const rules = { ...rulesOf(deps), ladderMs: [] };
  return {
    record: async (trx) => {
      const all = await loadWithSurroundings(trx, deps, key, run);
      if (!all) return;
      const { writes } = plan(all.state, run, deps.now().getTime(), rules);
      await record(trx, deps, all.state, writes);
      await writeRows(trx);
    },
  };
}
