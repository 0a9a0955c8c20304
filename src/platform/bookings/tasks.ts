import type { Deps } from "../deps.ts";
import type { TaskKind } from "../queue/task.ts";
import { assign, failBooking } from "./assign.ts";
import { findCase, providerCandidateOf } from "./case.ts";
import { BOOKINGS_QUEUE, type BookingTask } from "./queue.ts";
import { leave, takeBack } from "./take-back.ts";
import { keepBooking, unassign } from "./unassign.ts";

/** The calls to the provider that bookings need. */
export function bookingTasks(deps: Deps): TaskKind<BookingTask> {
  return {
    name: BOOKINGS_QUEUE,
    concurrency: 20,
    groupLimit: 5,
    work: async ({ data, attempt }, signal) => {
      const of = await findCase(deps.database.kysely, data.bookingId);
      if (!of) return { end: "done" };
      switch (data.action) {
        case "assign":
          return assign(deps, of, { signal, attempt });
        case "unassign":
          return unassign(deps, of, signal);
        case "take_back":
          return takeBack(deps, of, signal);
      }
    },
    dead: async ({ data }, reason, trx) => {
      const of = await findCase(trx, data.bookingId);
      if (!of) return;
      const detail = `Every try failed; the last one: ${reason}.`;
      if (data.action === "unassign") return keepBooking(trx, deps, of, detail);
      if (data.action === "take_back") return leave(trx, deps, of, detail);
      const trouble = { code: "booking_failed", detail, reason: "provider_unavailable" } as const;
      // A try that came as far as to assign has left who the person is there.
      const mayBeAssigned = (await providerCandidateOf(trx, of)) !== undefined;
      await failBooking(trx, deps, of, { ...trouble, mayBeAssigned });
    },
  };
}
