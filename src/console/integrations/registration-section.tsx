import { useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import type { Integration, IntegrationChange } from "../../../generated/operations/types.ts";
import { ConfirmedAction, DialogButton } from "../components/dialog.tsx";
import { Facts } from "../components/facts.tsx";
import { Form } from "../components/form.tsx";
import { LANGUAGES } from "../components/language-field.tsx";
import { Section } from "../components/section.tsx";
import { Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { reloadNames } from "../data/names.ts";
import { useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";
import { Offboarding } from "./offboarding.tsx";
import { changeOf, webhookAddress } from "./registration.ts";
import {
  CandidateFields,
  candidateSideIn,
  inputIn,
  NameField,
  ProviderFields,
  RoutingFacts,
  TimeZoneField,
} from "./registration-fields.tsx";
import type { Organisation } from "./use-integration.ts";

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

const FIELDS = ["kind", "name", "baseUrl", "routing", "providerToken", "timeZone", "contactPhone"];

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
    <Form action={action} fields={FIELDS} submit="Save the changes" submitting="Saving …" onSubmit={submit}>
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
