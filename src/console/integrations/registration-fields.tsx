import type { ComponentChildren } from "preact";
import type {
  Integration,
  IntegrationChange,
  IntegrationCreated,
  Language,
  Routing,
  RoutingAttempt,
  RoutingOrder,
} from "../../../generated/operations/types.ts";
import { routingAttemptsText } from "../../contract/operator-text.ts";
import { FormField, LanguageField, languageIn, RadioField, textIn } from "../components/form.tsx";

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

interface Props {
  /** The stored registration. */
  known?: Integration;
}

export function NameField({ known }: Props) {
  return (
    <FormField
      name="name"
      label="Name"
      required
      maxLength={100}
      hint="The name in this console."
      defaultValue={known?.name ?? ""}
    />
  );
}

export function TimeZoneField({ known }: Props) {
  return (
    <FormField
      name="timeZone"
      label="Time zone"
      defaultValue={known?.timeZone ?? "Europe/Stockholm"}
      hint="IANA zone for times without offset, and for the shifts in this console."
    />
  );
}

/** What the organisation's candidates read. */
export function CandidateFields({ known }: { known: Integration }) {
  return (
    <>
      <LanguageField chosen={known.language} otherwise="That of the installation" />
      <FormField
        name="contactPhone"
        label="Phone for candidates"
        maxLength={32}
        defaultValue={known.contactPhone ?? ""}
        hint="Whom candidates may call when it is too late to withdraw. Leave it empty to keep the stored one."
      />
    </>
  );
}

export const candidateSideIn = (given: FormData): Pick<RegistrationInput, "language" | "contactPhone"> => ({
  language: languageIn(given),
  contactPhone: textIn(given, "contactPhone"),
});

/** How the provider sends webhooks, and how it is called. */
export function ProviderFields({ known }: Props) {
  return (
    <>
      <FormField
        name="kind"
        label="Kind"
        required
        maxLength={32}
        placeholder="tempo"
        hint="A short name of the provider's system, which its webhook address contains: lower-case letters, digits, and hyphens."
        defaultValue={known?.kind ?? ""}
      />
      <FormField
        name="baseUrl"
        label="Base URL"
        kind="address"
        required
        placeholder="https://provider.example"
        hint="The https address of the provider's API, without the /providers/{providerId} prefix."
        defaultValue={known?.baseUrl ?? ""}
      />
      <RadioField
        name="routing"
        legend="Routing"
        choices={ROUTING_CHOICES}
        chosen={known?.routingSource === "given" ? (known.routing ?? "auto") : "auto"}
      />
      <FormField
        name="providerToken"
        label="PROVIDER_TOKEN"
        kind="secret"
        required={!known}
        hint={`The token that the provider issued for calls of the platform. It is stored encrypted and never shown.${known ? " Leave it empty to keep the stored one; a base URL with another host or port needs it again." : ""}`}
      />
    </>
  );
}

/** Contract section 4.1: one of two ways. */
const ROUTING_CHOICES: readonly (readonly [RoutingOrder, ComponentChildren])[] = [
  ["auto", "Detect: the platform calls the provider in both ways"],
  [
    "path",
    <>
      Path prefix: <code>{"/providers/{providerId}/shifts/{shiftId}"}</code>
    </>,
  ],
  [
    "header",
    <>
      Header: <code>{"/shifts/{shiftId}"}</code> with <code>X-Provider-Id</code>
    </>,
  ],
];

/** The values of the fields above. */
export function inputIn(given: FormData): Required<Omit<RegistrationInput, "language" | "contactPhone">> {
  const routing = given.get("routing");
  return {
    name: textIn(given, "name"),
    baseUrl: textIn(given, "baseUrl"),
    routing: routing === "path" || routing === "header" ? routing : "auto",
    providerToken: textIn(given, "providerToken"),
    kind: textIn(given, "kind"),
    timeZone: textIn(given, "timeZone"),
  };
}

type Routed = Pick<Integration, "routingSource"> &
  Partial<Pick<Integration, "routing">> &
  Pick<IntegrationCreated, "routingAttempts">;

/** The routing, and the calls that were tried if it is not known. */
export function RoutingFacts(known: Routed) {
  const attempts: readonly RoutingAttempt[] = known.routingSource === "pending" ? known.routingAttempts : [];
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
