import type { OperationId } from "./exchange.ts";
import { type Group, isChosen } from "./groups.ts";
import type { VerifyOptions } from "./options.ts";

/** What a provider must have (contract 4.2), by the group that calls it rightly. One of several operations is enough: two forms of one. */
const REQUIRED: Partial<Record<Group, readonly (readonly OperationId[])[]>> = {
  answers: [["listOutlets"], ["listRoles"], ["getShift"]],
  meaning: [
    ...([["findCandidates"], ["createCandidate"], ["updateShift"], ["assignCandidate"]] as const),
    ["unassignCandidate", "deleteAssignment"],
  ],
  cancellation: [["cancelShift"]],
};

/** Required operations that were never seen to succeed, of the groups and operations that were chosen. */
export function unseenOf(served: ReadonlySet<OperationId>, options: VerifyOptions): OperationId[] {
  const { operations } = options;
  return Object.entries(REQUIRED)
    .filter(([group]) => isChosen(group as Group, options))
    .flatMap(([, required]) => required)
    .filter((forms) => !forms.some((each) => served.has(each)))
    .map((forms) => forms.filter((each) => operations?.includes(each) ?? true))
    .flatMap(([first]) => first ?? []);
}
