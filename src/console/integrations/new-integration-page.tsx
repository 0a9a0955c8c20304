import { useState } from "preact/hooks";
import type { IntegrationCreate, IntegrationCreated } from "../../../generated/operations/types.ts";
import { Facts } from "../components/facts.tsx";
import { Focused } from "../components/focused.tsx";
import { Form, FormField, textIn } from "../components/form.tsx";
import { PageHead } from "../components/page-head.tsx";
import { SecretOnce } from "../components/secret.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { reloadNames } from "../data/names.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { webhookAddress } from "./registration.ts";
import { inputIn, NameField, ProviderFields, RoutingFacts, TimeZoneField } from "./registration-fields.tsx";
import "./integrations.css";

/** The result of a registration, for the provider. */
interface Registration extends IntegrationCreated {
  name: string;
  kind: string;
}

export function NewIntegrationPage() {
  const [registration, setRegistration] = useState<Registration>();
  const register = useAction(async (body: IntegrationCreate) => {
    const created = await ask(api.createIntegration({ body }));
    setRegistration({ ...created, name: body.name, kind: body.kind });
    void reloadNames();
    return `${body.name} is registered.`;
  });
  return (
    <>
      <PageHead
        title={registration ? `${registration.name} is registered` : "Register an organisation"}
        within={{ href: "/console/integrations", name: "Integrations" }}
      />
      {registration ? <Registered {...registration} /> : <RegistrationForm action={register} />}
    </>
  );
}

const FIELDS = ["providerId", "kind", "name", "baseUrl", "routing", "providerToken", "timeZone"];

function RegistrationForm({ action }: { action: Action<[IntegrationCreate]> }) {
  const submit = (given: FormData) => {
    const { timeZone, ...input } = inputIn(given);
    const providerId = textIn(given, "providerId");
    void action.run({ providerId, ...input, ...(timeZone !== "" && { timeZone }) });
  };
  return (
    <Form
      action={action}
      fields={FIELDS}
      submit="Register"
      submitting="Registering …"
      name="panel narrow"
      onSubmit={submit}
      aside={<a href="/console/integrations">Cancel</a>}
    >
      <h2>Organisation</h2>
      <NameField />
      <FormField
        name="providerId"
        label="providerId"
        required
        hint="The UUID of the organisation in the provider's system: the provider knows it."
      />
      <TimeZoneField />
      <h2>Provider</h2>
      <ProviderFields />
    </Form>
  );
}

/** What the provider needs to send webhooks (contract section 5: two tokens are exchanged during setup). */
function Registered({ kind, ...created }: Registration) {
  const { providerId, platformToken, routingSource } = created;
  return (
    <Focused class="panel stack narrow">
      <h2>Give this to the provider</h2>
      <SecretOnce name="PLATFORM_TOKEN" secret={platformToken} />
      <Facts
        of={{
          "Webhook address": <code>{webhookAddress(location.origin, kind)}</code>,
          providerId: <code>{providerId}</code>,
          Routing: <RoutingFacts {...created} />,
        }}
      />
      <p class="hint">
        The provider sends each webhook with <code>Authorization: Bearer PLATFORM_TOKEN</code>. The address
        contains the host by which this browser reaches the platform; replace it with the host by which the
        provider reaches it. A lost token can be replaced under “Tokens” of the integration.
      </p>
      {routingSource === "pending" && (
        <p>
          The draft is saved. The routing is detected when the provider responds, at the latest by the
          activation. If the base URL or the token is wrong, correct it under “Registration” of the
          integration.
        </p>
      )}
      <p>
        <a class="button primary" href={`/console/integrations/${providerId}`}>
          Continue with outlets and roles
        </a>
      </p>
    </Focused>
  );
}
