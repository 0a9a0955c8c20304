import { useEffect, useRef, useState } from "preact/hooks";
import type { Integration, IntegrationChange } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { readNamesAgain } from "../data/names.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { changeOf, type Entered } from "./change-of.ts";
import { fieldFaults } from "./field-faults.ts";
import { CallFields, KindField, NameField, TimeZoneField } from "./registration-fields.tsx";
import { routingIn } from "./routing-choice.tsx";
import type { Organisation } from "./use-integration.ts";

const FIELDS = ["kind", "name", "baseUrl", "routing", "providerToken", "timeZone"] as const;

/** Corrects the registration. */
export function ChangeButton({ integration, reload }: Pick<Organisation, "integration" | "reload">) {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Edit …
      </button>
      <Dialog title={`Edit ${integration.name}`} isOpen={isOpen} onClose={close}>
        <ChangeForm
          integration={integration}
          onDone={() => {
            close();
            reload();
          }}
        />
      </Dialog>
    </>
  );
}

function ChangeForm({ integration, onDone }: { integration: Integration; onDone(): void }) {
  const form = useRef<HTMLFormElement>(null);
  // The integration when the form was opened: messages of the stream do not change the input.
  const { current: before } = useRef(integration);
  const action = useAction(async (change: IntegrationChange) => {
    const announcement = await send(before.providerId, change);
    onDone();
    return announcement;
  });
  const { of: faults, rest } = fieldFaults(action.trouble, FIELDS);
  useEffect(() => {
    if (action.trouble) form.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus();
  }, [action.trouble]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const change = form.current && changeOf(before, enteredIn(form.current));
    if (change) void action.run(change);
    else onDone();
  };
  const isDraft = before.state === "draft";
  const fields = { faults, known: before };
  return (
    <form class="stack" ref={form} onSubmit={submit} autocomplete="off" noValidate>
      {!isDraft && (
        <p class="hint">
          The platform calls the provider with the new values first, and saves them only if the provider
          returns its outlets. Webhooks to the path of the former kind are accepted for 30 days. Another time
          zone makes the platform read every known shift again.
        </p>
      )}
      <NameField {...fields} />
      <TimeZoneField {...fields} />
      <KindField {...fields} />
      <CallFields {...fields} />
      {rest && <TroubleBox trouble={rest} />}
      <p>
        <ActionButton action={action} tone="primary">
          {action.isRunning ? "Saving …" : "Save the changes"}
        </ActionButton>
      </p>
    </form>
  );
}

async function send(providerId: string, change: IntegrationChange): Promise<string> {
  const changed = await ask(api.changeIntegration({ params: { path: { providerId } }, body: change }));
  void readNamesAgain();
  return changed.routingSource === "pending"
    ? "Saved. The routing is not detected yet."
    : `${changed.name} is saved.`;
}

/** A field that is not shown is not changed. */
function enteredIn(form: HTMLFormElement): Entered {
  const given = new FormData(form);
  const text = (name: string) => String(given.get(name) ?? "").trim();
  return {
    ...{ name: text("name"), baseUrl: text("baseUrl") },
    ...{ routing: routingIn(given), providerToken: text("providerToken") },
    ...(given.has("kind") && { kind: text("kind") }),
    ...(given.has("timeZone") && { timeZone: text("timeZone") }),
  };
}
