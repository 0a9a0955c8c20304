import { useEffect, useRef } from "preact/hooks";
import type { IntegrationCreate } from "../../../generated/operations/types.ts";
import type { Action } from "../data/use-action.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { fieldFaults } from "./field-faults.ts";
import { FormField } from "./form-field.tsx";
import { RoutingChoice } from "./routing-choice.tsx";

const FIELDS = ["providerId", "kind", "name", "baseUrl", "routing", "providerToken", "timeZone"] as const;

/** The registration of an organisation. Faults appear at their fields. */
export function RegistrationForm({ action }: { action: Action<[IntegrationCreate]> }) {
  const form = useRef<HTMLFormElement>(null);
  const { of: faults, rest } = fieldFaults(action.trouble, FIELDS);
  useEffect(() => {
    if (action.trouble) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [action.trouble]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (form.current) void action.run(orderIn(form.current));
  };
  return (
    // The platform validates the fields, not the browser.
    <form class="panel stack narrow" ref={form} onSubmit={submit} autocomplete="off" noValidate>
      <OfOrganisation faults={faults} />
      <OfProvider faults={faults} />
      {rest && <TroubleBox trouble={rest} />}
      <p class="row">
        <ActionButton action={action} tone="primary">
          Register
        </ActionButton>
        <a href="/console/integrations">Cancel</a>
      </p>
    </form>
  );
}

interface Faults {
  faults: Readonly<Record<string, string>>;
}

function OfOrganisation({ faults }: Faults) {
  return (
    <>
      <h2>Organisation</h2>
      <FormField
        name="name"
        label="Name"
        required
        maxLength={100}
        fault={faults.name}
        hint="The name in this console."
      />
      <FormField
        name="providerId"
        label="providerId"
        required
        fault={faults.providerId}
        hint="A UUID: the organisation in the provider's system. Every webhook and every call contains it."
      />
      <FormField
        name="timeZone"
        label="Time zone"
        defaultValue="Europe/Stockholm"
        fault={faults.timeZone}
        hint="IANA zone for times without offset, and for the shifts in this console."
      />
    </>
  );
}

function OfProvider({ faults }: Faults) {
  return (
    <>
      <h2>Provider</h2>
      <FormField
        name="kind"
        label="Kind"
        required
        maxLength={32}
        placeholder="tempo"
        fault={faults.kind}
        hint="The {provider} segment of its webhook path: lower-case letters, digits, and hyphens."
      />
      <FormField
        name="baseUrl"
        label="Base URL"
        kind="address"
        required
        placeholder="https://provider.example"
        fault={faults.baseUrl}
        hint="The https address of the provider's API, without the /providers/{providerId} prefix."
      />
      <RoutingChoice />
      <FormField
        name="providerToken"
        label="PROVIDER_TOKEN"
        kind="secret"
        required
        fault={faults.providerToken}
        hint="The token that the provider issued for calls of the platform. It is stored encrypted and never shown."
      />
    </>
  );
}

function orderIn(form: HTMLFormElement): IntegrationCreate {
  const given = new FormData(form);
  const text = (name: string) => String(given.get(name) ?? "").trim();
  const timeZone = text("timeZone");
  return {
    providerId: text("providerId"),
    kind: text("kind"),
    name: text("name"),
    baseUrl: text("baseUrl"),
    routing: text("routing") === "header" ? "header" : "path",
    providerToken: text("providerToken"),
    ...(timeZone !== "" && { timeZone }),
  };
}
