import type { Handlers } from "../../../generated/provider/server.ts";
import type { Context } from "../context.ts";
import type { Organisation } from "../organisation.ts";
import { assignmentHandlers } from "./assignments.ts";
import { candidateHandlers } from "./candidates.ts";
import { shiftHandlers } from "./shifts.ts";

/** Returns the handler of every operation. The router authenticates and validates calls first. */
export function handlersOf(context: Context): Handlers<Organisation> {
  return {
    ...shiftHandlers(context),
    ...assignmentHandlers(context),
    ...candidateHandlers(context),
    listOutlets: (_, { outlets }) => ({ status: 200, body: outlets }),
    listRoles: (_, { roles }) => ({ status: 200, body: roles }),
  };
}
