import type { OperationId } from "./exchange.ts";
import { type Group, isChosen } from "./groups.ts";
import type { VerifyOptions } from "./options.ts";

/** Required operations (contract 4.2), by the group that calls them validly. One operation of each list is enough. */
const REQUIRED: Partial<Record<Group, readonly (readonly OperationId[])[]>> = {
  answers: [["listOutlets"], ["listRoles"], ["getShift"]],
  meaning: [
    ...([["findCandidates"], ["createCandidate"], ["updateShift"], ["assignCandidate"]] as const),
    ["unassignCandidate", "deleteAssignment"],
  ],
  cancellation: [["cancelShift"]],
};

/** Returns required operations that never succeeded, of the chosen groups and operations. */
export function unseenOf(
  served: ReadonlySet<OperationId>,
  hasCreated: boolean,
  options: VerifyOptions,
): OperationId[] {
  const { operations } = options;
  // A candidate of the provider's own does not show that a creation works.
  const isSeen = (each: OperationId) => served.has(each) && (each !== "createCandidate" || hasCreated);
  return Object.entries(REQUIRED)
    .filter(([group]) => isChosen(group as Group, options))
    .flatMap(([, required]) => required)
    .filter((forms) => !forms.some(isSeen))
    .map((forms) => forms.filter((each) => operations?.includes(each) ?? true))
    .flatMap(([first]) => first ?? []);
}
