import { carryOutCancellation, giveUpCancellation } from "../cancellations/cancel.ts";
import type { Deps } from "../deps.ts";
import { carryOutChange, giveUpChange, readBack } from "../jobs/change-task.ts";
import type { TaskKind } from "../queue/task.ts";
import { SHIFT_WRITES_QUEUE, type ShiftWrite } from "./queue.ts";

/** The calls to the provider that change its shifts. */
export function shiftWriteTasks(deps: Deps): TaskKind<ShiftWrite> {
  return {
    name: SHIFT_WRITES_QUEUE,
    concurrency: 20,
    groupLimit: 5,
    work: async ({ data }, signal) => {
      switch (data.kind) {
        case "cancel":
          return carryOutCancellation(deps, data.operationId, signal);
        case "change":
          return carryOutChange(deps, data, signal);
        case "read_back":
          return readBack(deps, data.changeId, signal);
      }
    },
    dead: async ({ data }, reason, trx) => {
      switch (data.kind) {
        case "cancel":
          return giveUpCancellation(trx, deps, data.operationId, reason);
        case "change":
        case "read_back":
          return giveUpChange(trx, deps, data.changeId, reason);
      }
    },
  };
}
