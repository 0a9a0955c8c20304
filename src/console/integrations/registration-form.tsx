import { useEffect, useRef } from "preact/hooks";
import type { IntegrationCreate } from "../../../generated/operations/types.ts";
import type { Action } from "../data/use-action.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { fieldFaults } from "./field-faults.ts";
import { FormField } from "./form-field.tsx";
import { CallFields, KindField, NameField, TimeZoneField } from "./registration-fields.tsx";
import { routingIn } from "./routing-choice.tsx";

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
      <h2>Organisation</h2>
      <NameField faults={faults} />
      <FormField
        name="providerId"
        label="providerId"
        required
        fault={faults.providerId}
        hint="A UUID: the organisation in the provider's system. Every webhook and every call contains it."
      />
      <TimeZoneField faults={faults} />
      <h2>Provider</h2>
      <KindField faults={faults} />
      <CallFields faults={faults} />
      {rest && <TroubleBox trouble={rest} />}
      <p class="row">
        <ActionButton action={action} tone="primary">
          {action.isRunning ? "Registering …" : "Register"}
        </ActionButton>
        <a href="/console/integrations">Cancel</a>
      </p>
    </form>
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
    routing: routingIn(given),
    providerToken: text("providerToken"),
    ...(timeZone !== "" && { timeZone }),
  };
}
