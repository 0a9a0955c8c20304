import type { Integration, IntegrationCreated } from "../../../generated/operations/types.ts";
import { routingAttemptsText } from "../../contract/operator-text.ts";
import { ROUTINGS } from "./labels.ts";

type Known = Pick<Integration, "routingSource"> & Partial<Pick<Integration, "routing">>;

/** The routing, and how it is known. */
export function routingText({ routing, routingSource }: Known): string {
  if (routingSource === "pending" || routing === undefined) return "Not detected yet";
  return `${ROUTINGS[routing]} (${routingSource})`;
}

/** The routing, and what was tried where it is not known. */
export function RoutingFacts(known: Known & Pick<IntegrationCreated, "routingAttempts">) {
  const attempts = known.routingSource === "pending" ? known.routingAttempts : [];
  return (
    <>
      {routingText(known)}
      {attempts.length > 0 && (
        <ul class="attempts">
          {attempts.map((attempt) => (
            <li key={attempt.routing}>{routingAttemptsText([attempt])}</li>
          ))}
        </ul>
      )}
    </>
  );
}
