import type { Handlers } from "../../../generated/provider/server.ts";
import type { Organisation } from "../organisation.ts";
import type { World } from "../world.ts";
import { assignmentHandlers } from "./assignments.ts";
import { candidateHandlers } from "./candidates.ts";
import { shiftHandlers } from "./shifts.ts";

/** The provider's side of every operation; the router has authenticated and validated the call. */
export function handlersOf(world: World): Handlers<Organisation> {
  return {
    ...shiftHandlers(world),
    ...assignmentHandlers(world),
    ...candidateHandlers(world),
    listOutlets: (_, { outlets }) => ({ status: 200, body: outlets }),
    listRoles: (_, { roles }) => ({ status: 200, body: roles }),
  };
}
