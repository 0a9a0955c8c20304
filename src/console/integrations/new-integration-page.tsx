import "./integrations.css";
import { useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import type {
  Integration,
  IntegrationChange,
  IntegrationCreate,
  IntegrationCreated,
} from "../../../generated/operations/types.ts";
import { Facts } from "../components/cells.tsx";
import { ConfirmedAction, DialogButton, Focused } from "../components/dialog.tsx";
import { Form, FormField, LANGUAGES, textIn } from "../components/form.tsx";
import { SecretOnce } from "../components/secret.tsx";
import { PageHead, Section } from "../components/section.tsx";
import { Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { reloadNames } from "../data/names.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";
import { Offboarding } from "./offboarding.tsx";
import {
  CandidateFields,
  candidateSideIn,
  changeOf,
  inputIn,
  NameField,
  ProviderFields,
  RoutingFacts,
  TimeZoneField,
  webhookAddress,
} from "./registration-fields.tsx";
import type { Organisation } from "./use-integration.ts";

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

type Props = Pick<Organisation, "integration" | "reload"> & { latest: Integration };

/** The values of the registration, and the end of the integration. */
export function RegistrationSection({ integration, latest, reload }: Props) {
  const { providerId, kind, baseUrl, timeZone, createdAt, state, name, language, contactPhone } = integration;
  return (
    <Section id="registration" title="Registration">
      <Facts
        of={{
          providerId: <code>{providerId}</code>,
          Kind: <code>{kind}</code>,
          "Base URL": <code>{baseUrl}</code>,
          Routing: <RoutingFacts {...integration} />,
          "Time zone": timeZone,
          "Language of candidates": language && LANGUAGES[language],
          "Phone for candidates": contactPhone,
          "Webhook address": <code>{webhookAddress(location.origin, kind)}</code>,
          Registered: <Time at={createdAt} />,
        }}
      />
      <p class="row">
        {may("changeIntegration") && (
          <DialogButton label="Edit …" title={`Edit ${name}`} onDone={reload}>
            {(done) => <ChangeForm integration={integration} onDone={done} />}
          </DialogButton>
        )}
        {state === "draft" && may("deleteIntegration") && <DeleteDraft {...integration} />}
      </p>
      {state !== "draft" && may("offboardIntegration") && (
        <Offboarding {...{ integration, latest, reload }} />
      )}
    </Section>
  );
}

const REGISTRATION_FIELDS = [
  "kind",
  "name",
  "baseUrl",
  "routing",
  "providerToken",
  "timeZone",
  "contactPhone",
];

function ChangeForm({ integration, onDone }: { integration: Integration; onDone(): void }) {
  // The integration when the form was opened: messages of the stream do not change the input.
  const { current: before } = useRef(integration);
  const action = useAction(async (change: IntegrationChange) => {
    const announcement = await send(before.providerId, change);
    onDone();
    return announcement;
  });
  const submit = (given: FormData) => {
    const change = changeOf(before, { ...inputIn(given), ...candidateSideIn(given) });
    if (change) void action.run(change);
    else onDone();
  };
  return (
    <Form
      action={action}
      fields={REGISTRATION_FIELDS}
      submit="Save the changes"
      submitting="Saving …"
      onSubmit={submit}
    >
      {before.state !== "draft" && (
        <p class="hint">
          The platform calls the provider with the new values first, and saves them only if the provider
          returns its outlets. Webhooks to the path of the former kind are accepted for 30 days. Another time
          zone makes the platform read every known shift again.
        </p>
      )}
      <NameField known={before} />
      <TimeZoneField known={before} />
      <CandidateFields known={before} />
      <ProviderFields known={before} />
    </Form>
  );
}

async function send(providerId: string, body: IntegrationChange): Promise<string> {
  const changed = await ask(api.changeIntegration({ params: { path: { providerId } }, body }));
  void reloadNames();
  return changed.routingSource === "pending"
    ? "Saved. The routing is not detected yet."
    : `${changed.name} is saved.`;
}

function DeleteDraft({ providerId, name }: Integration) {
  const { route } = useLocation();
  const remove = async () => {
    await ask(api.deleteIntegration({ params: { path: { providerId } } }));
    route("/console/integrations");
    return `${name} is deleted.`;
  };
  return (
    <ConfirmedAction
      label="Delete …"
      title={`Delete ${name}?`}
      confirm={`Delete ${name}`}
      act={remove}
      typed={name}
      focusAfter="main"
    >
      <p>
        The draft is deleted with its tokens, its mapping, and the webhooks that were stored for it. Webhooks
        with its platform token are then rejected with 401. Workplaces, competences, and imported candidates
        stay. This cannot be undone.
      </p>
    </ConfirmedAction>
  );
}
