import type { Belief } from "../../src/platform/shifts/plan/believe.ts";
import { plan } from "../../src/platform/shifts/plan/plan.ts";
import type { Reading, RunSoFar, ShiftState } from "../../src/platform/shifts/plan/state.ts";
import type { Planner } from "./runs.ts";

// Plans with one row of the table of `believe` disabled each, in the order of the table. Random schedules meet too rarely what the rows about older versions,
// and about an unknown order, decide: `believe.test.ts` has both.

const UNANNOUNCED = "believes at once that a shift is gone, although no deletion was announced";
const NOT_AGAIN = "does not read again what is believed while an announced change is not shown";
export const GONE_RETURNS = "believes a replica that shows a deleted shift once more";
const OWN_UNDONE = "believes a replica that shows what its own change has replaced";
const NEW_WAITS = "does not believe at once what it has never seen";

export const BELIEVE_MUTANTS: Record<string, Planner> = {
  [UNANNOUNCED]: (state, run, now, rules) => plan(state, goneForCertain(run), now, rules),
  [NOT_AGAIN]: (state, run, now, rules) =>
    plan({ ...state, events: state.events.map((event) => ({ ...event, receivedAt: 0 })) }, run, now, rules),
  [GONE_RETURNS]: (state, run, now, rules) => plan(believing(state, { since: 0 }), run, now, rules),
  [OWN_UNDONE]: (state, run, now, rules) => {
    const earlier = state.shift.belief.earlier.map(({ isReplaced: _, ...each }) => each);
    return plan(believing(state, { own: null, earlier }), run, now, rules);
  },
  [NEW_WAITS]: (state, run, now, rules) => {
    const at = Math.max(...state.events.map(({ receivedAt }) => receivedAt), ...state.shift.belief.notices);
    return plan(believing(state, { own: { at, values: { positions: -1 } } }), run, now, rules);
  },
};

const believing = (state: ShiftState, patch: Partial<Belief>): ShiftState => ({
  ...state,
  shift: { ...state.shift, belief: { ...state.shift.belief, ...patch } },
});

function goneForCertain(run: RunSoFar): RunSoFar {
  if (run.reading?.outcome.kind !== "absent") return run;
  const outcome = { kind: "absent", final: true, code: "shift_not_found" } as const;
  const reading: Reading = { ...run.reading, outcome };
  return { ...run, reading };
}
