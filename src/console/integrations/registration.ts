import type {
  Integration,
  IntegrationChange,
  Language,
  Routing,
  RoutingOrder,
} from "../../../generated/operations/types.ts";

/** The values of the form of a registration. */
export interface RegistrationInput {
  name: string;
  baseUrl: string;
  routing: RoutingOrder;
  /** Empty: the stored one is kept. */
  providerToken: string;
  kind?: string;
  timeZone?: string;
  language?: Language | undefined;
  /** Empty: the stored one is kept. */
  contactPhone?: string;
}

type Before = Pick<Integration, "name" | "baseUrl" | "routing" | "routingSource" | "kind" | "timeZone"> &
  Partial<Pick<Integration, "language" | "contactPhone">>;

/** The changed members; undefined when there are none. A routing that is not known is detected again. */
export function changeOf(before: Before, input: RegistrationInput): IntegrationChange | undefined {
  const change: IntegrationChange = {};
  for (const field of ["name", "baseUrl", "kind", "timeZone"] as const) {
    const text = input[field];
    if (text !== undefined && text !== before[field]) change[field] = text;
  }
  const { language, contactPhone = "" } = input;
  if (language !== undefined && language !== before.language) change.language = language;
  if (contactPhone !== "" && contactPhone !== before.contactPhone) change.contactPhone = contactPhone;
  if (input.providerToken !== "") change.providerToken = input.providerToken;
  const chosen = before.routingSource === "given" ? before.routing : "auto";
  const isRetry = input.routing === "auto" && before.routingSource === "pending";
  if (input.routing !== chosen || isRetry) change.routing = input.routing;
  return Object.keys(change).length > 0 ? change : undefined;
}

/**
 * The address to which an organisation of this kind sends its webhooks (contract section 4.3).
 * @param origin how the platform is reached: scheme, host and port.
 */
export function webhookAddress(origin: string, kind: string): string {
  return `${origin}/api/v3/integrations/${encodeURIComponent(kind)}/webhook`;
}

/** Contract section 4.1. */
const ROUTINGS: Record<Routing, string> = {
  path: "Path prefix /providers/{providerId}",
  header: "Header X-Provider-Id",
};

/** The routing, and how it is known. */
export function routingText(
  known: Pick<Integration, "routingSource"> & Partial<Pick<Integration, "routing">>,
): string {
  const { routing, routingSource } = known;
  if (routingSource === "pending" || routing === undefined) return "Not detected yet";
  return `${ROUTINGS[routing]} (${routingSource})`;
}
