import type { Integration } from "../../../generated/operations/types.ts";
import { DialogButton } from "../components/dialog.tsx";
import { Form, FormField, textIn } from "../components/form.tsx";
import { TokenRotation } from "../components/secret.tsx";
import { Section } from "../components/section.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useAction } from "../data/use-action.ts";
import { may } from "../session/me.ts";

/** Contract section 5: one token for each direction. */
export function TokensSection({ providerId }: Integration) {
  return (
    <Section id="tokens" title="Tokens">
      <div class="pair">
        <div class="stack tight">
          <h3>PLATFORM_TOKEN</h3>
          <p class="soft">The provider sends webhooks with it. The platform keeps only its hash.</p>
          {may("rotateToken") && <PlatformToken providerId={providerId} />}
        </div>
        <div class="stack tight">
          <h3>PROVIDER_TOKEN</h3>
          <p class="soft">The platform calls the provider with it. It is stored encrypted and never shown.</p>
          {may("rotateToken") && <ProviderToken providerId={providerId} />}
        </div>
      </div>
    </Section>
  );
}

type Props = Pick<Integration, "providerId">;

function PlatformToken({ providerId }: Props) {
  const rotate = async (overlapHours: number) => {
    const body = { direction: "platform", overlapHours } as const;
    const rotated = await ask(api.rotateToken({ params: { path: { providerId } }, body }));
    if (!("platformToken" in rotated)) throw new Error("The platform returned no token.");
    const { platformToken: token, previousValidUntil } = rotated;
    return { token, previousValidUntil };
  };
  return (
    <p>
      <DialogButton label="Create a new platform token …" title="New platform token">
        {/* The token is shown no longer than the dialog. */}
        {() => (
          <TokenRotation
            name="PLATFORM_TOKEN"
            rotate={rotate}
            effect="Webhooks with the current token are accepted during the overlap and rejected with 401 afterwards."
            handOver="Give it to the provider."
          />
        )}
      </DialogButton>
    </p>
  );
}

function ProviderToken({ providerId }: Props) {
  return (
    <p>
      {/* The token stays in the page no longer than the dialog. */}
      <DialogButton label="Enter a new provider token …" title="New provider token">
        {(done) => <ProviderTokenForm providerId={providerId} onDone={done} />}
      </DialogButton>
    </p>
  );
}

function ProviderTokenForm({ providerId, onDone }: Props & { onDone(): void }) {
  const enter = useAction(async (providerToken: string) => {
    const body = { direction: "provider", providerToken } as const;
    await ask(api.rotateToken({ params: { path: { providerId } }, body }));
    onDone();
    return "Provider token saved. The platform uses it from the next call.";
  });
  return (
    <Form
      action={enter}
      fields={["providerToken"]}
      submit="Save the new token"
      tone="danger"
      isCheckedByBrowser
      onSubmit={(given) => void enter.run(textIn(given, "providerToken"))}
    >
      <p>
        It replaces the stored token, which cannot be restored. If the provider rejects the new one, every
        call to it is paused, and its shifts, bookings, and cancellations wait.
      </p>
      <FormField
        name="providerToken"
        label="New provider token"
        kind="secret"
        required
        hint="As the provider issued it. The platform uses it from the next call."
      />
    </Form>
  );
}
