import type { Integration } from "../../../generated/operations/types.ts";
import { FormField } from "./form-field.tsx";
import { RoutingChoice } from "./routing-choice.tsx";

interface Props {
  /** By the name of the field. */
  faults: Readonly<Record<string, string>>;
  /** Registered before. */
  known?: Integration;
}

export function NameField({ faults, known }: Props) {
  return (
    <FormField
      name="name"
      label="Name"
      required
      maxLength={100}
      fault={faults.name}
      hint="The name in this console."
      {...(known && { defaultValue: known.name })}
    />
  );
}

export function TimeZoneField({ faults, known }: Props) {
  return (
    <FormField
      name="timeZone"
      label="Time zone"
      defaultValue={known?.timeZone ?? "Europe/Stockholm"}
      fault={faults.timeZone}
      hint="IANA zone for times without offset, and for the shifts in this console."
    />
  );
}

export function KindField({ faults, known }: Props) {
  return (
    <FormField
      name="kind"
      label="Kind"
      required
      maxLength={32}
      placeholder="tempo"
      fault={faults.kind}
      hint="The {provider} segment of its webhook path: lower-case letters, digits, and hyphens."
      {...(known && { defaultValue: known.kind })}
    />
  );
}

/** How the provider is called. */
export function CallFields({ faults, known }: Props) {
  return (
    <>
      <FormField
        name="baseUrl"
        label="Base URL"
        kind="address"
        required
        placeholder="https://provider.example"
        fault={faults.baseUrl}
        hint="The https address of the provider's API, without the /providers/{providerId} prefix."
        {...(known && { defaultValue: known.baseUrl })}
      />
      <RoutingChoice chosen={known?.routingSource === "given" ? known.routing : "auto"} />
      <FormField
        name="providerToken"
        label="PROVIDER_TOKEN"
        kind="secret"
        required={!known}
        fault={faults.providerToken}
        hint={`The token that the provider issued for calls of the platform. It is stored encrypted and never shown.${known ? " Leave it empty to keep the stored one." : ""}`}
      />
    </>
  );
}
