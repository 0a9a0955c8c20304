import type { Refused } from "../../../clients/provider/answer.ts";
import type { CallOutcome } from "./state.ts";

/** Whether the provider refused the token rather than the call. */
export const isAboutToken = ({ status }: Refused): boolean => status === 401 || status === 403;

/** Whether the call certainly had no effect: it was not made, or the provider declined it for now. */
export const hadNoEffect = (outcome: CallOutcome): boolean =>
  (outcome.kind === "unavailable" && (outcome.notAsked === true || outcome.status === 429)) ||
  (outcome.kind === "refused" && isAboutToken(outcome));

/** Whether the provider answered as if it had no route for the call. */
export const isMissingRoute = (
  outcome: CallOutcome,
): outcome is Extract<CallOutcome, { kind: "unavailable" }> =>
  outcome.kind === "unavailable" && outcome.failure === "route_missing";
