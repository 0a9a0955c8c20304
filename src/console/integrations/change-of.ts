import type { Integration, IntegrationChange, RoutingOrder } from "../../../generated/operations/types.ts";

/** What the form of a registration holds. */
export interface Entered {
  name: string;
  baseUrl: string;
  routing: RoutingOrder;
  /** Empty: the stored one is kept. */
  providerToken: string;
  /** Of a draft alone. */
  kind?: string;
  timeZone?: string;
}

type Before = Pick<Integration, "name" | "baseUrl" | "routing" | "routingSource" | "kind" | "timeZone">;

/** What differs; undefined when nothing does. A routing that is not known is detected again. */
export function changeOf(before: Before, entered: Entered): IntegrationChange | undefined {
  const change: IntegrationChange = {};
  for (const field of ["name", "baseUrl", "kind", "timeZone"] as const) {
    const text = entered[field];
    if (text !== undefined && text !== before[field]) change[field] = text;
  }
  if (entered.providerToken !== "") change.providerToken = entered.providerToken;
  const chosen = before.routingSource === "given" ? before.routing : "auto";
  const isRetry = entered.routing === "auto" && before.routingSource === "pending";
  if (entered.routing !== chosen || isRetry) change.routing = entered.routing;
  return Object.keys(change).length > 0 ? change : undefined;
}
