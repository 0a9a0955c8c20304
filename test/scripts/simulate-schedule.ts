import type { Schedule } from "../../scripts/simulate/schedules.ts";

/** A schedule of a provider without faults, whose people do nothing yet. */
export const aSchedule = (patch: Pick<Schedule, "shifts" | "actions"> & Partial<Schedule>): Schedule => ({
  dialect: {
    absence: "410_coded",
    afterDelete: "absent",
    repeatedAssign: "ok",
    unassignUnassigned: "ok",
    repeatedCreate: "409",
    sharesIds: false,
    knowsFormerIds: false,
    refusalsHaveCodes: true,
    listsNumbers: false,
    echoes: true,
    acceptsChanges: true,
    roundsToMs: 1,
  },
  candidates: 1,
  known: 1,
  isSecondOutletMapped: true,
  seed: 1,
  ...patch,
});
