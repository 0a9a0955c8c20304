import type { Handlers } from "../../../generated/provider/server.ts";
import type { ShiftUpdate } from "../../../generated/provider/types.ts";
import { problem } from "../../contract/problem.ts";
import { readTimestamp } from "../../contract/timestamp.ts";
import type { Context } from "../context.ts";
import type { Organisation, StoredShift } from "../organisation.ts";
import { shiftBody } from "../shift-body.ts";

type ShiftHandlers = Pick<Handlers<Organisation>, "getShift" | "updateShift" | "cancelShift">;

/** Reads, replaces and cancels shifts (contract 4.2). */
export function shiftHandlers(context: Context): ShiftHandlers {
  const { forms } = context;
  const absent = () => problem(forms.deleted === "410" ? "shift_gone" : "shift_not_found");
  return {
    getShift: ({ path }, organisation) => {
      const shift = knownShift(organisation, path.shiftId);
      if (shift.cancelled && forms.deleted !== "cancelled") throw absent();
      return { status: 200, body: shiftBody(shift, organisation, forms) };
    },
    updateShift: ({ path, body, raw }, organisation) => {
      const shift = knownShift(organisation, path.shiftId);
      if (shift.cancelled) throw problem("shift_cancelled");
      checkUpdate(body);
      const { startTime, endTime, slots: positions } = body;
      const updatedAt = new Date(context.now()).toISOString();
      Object.assign(shift, { startTime, endTime, positions, updatedAt });
      context.echo("shift.update", shift.id, organisation, raw);
      if (forms.updateAnswer === 204) return { status: 204 };
      return { status: 200, body: shiftBody(shift, organisation, forms) };
    },
    cancelShift: ({ path, raw }, organisation) => {
      const shift = knownShift(organisation, path.shiftId);
      if (shift.cancelled) throw absent();
      shift.cancelled = true;
      shift.updatedAt = new Date(context.now()).toISOString();
      context.echo("shift.delete", shift.id, organisation, raw);
      return { status: 204 };
    },
  };
}

/** Returns the shift, even if it is cancelled. Throws 404 for an unknown one. */
export function knownShift({ shifts }: Organisation, shiftId: string): StoredShift {
  const shift = shifts.get(shiftId);
  if (!shift) throw problem("shift_not_found");
  return shift;
}

/** Validates what the schema cannot express. */
function checkUpdate({ startTime, endTime, slots, numberOfPositions = slots }: ShiftUpdate): void {
  const [start, end] = [readTimestamp(startTime, "UTC"), readTimestamp(endTime, "UTC")];
  const errors = [];
  if (!start) errors.push({ pointer: "/startTime", message: "must be a time that exists" });
  if (!end) errors.push({ pointer: "/endTime", message: "must be a time that exists" });
  if (start && end && end.instant <= start.instant) {
    errors.push({ pointer: "/endTime", message: "must be after startTime" });
  }
  if (numberOfPositions !== slots) {
    errors.push({ pointer: "/numberOfPositions", message: "must be the same as slots" });
  }
  if (errors.length > 0) throw problem("unprocessable", { detail: "The update is not valid.", errors });
}
