import { useRef } from "preact/hooks";
import type { Integration } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { fieldFaults } from "./field-faults.ts";
import { FormField } from "./form-field.tsx";

/** Takes the token that the provider issued. */
export function ProviderToken({ providerId }: Integration) {
  const form = useRef<HTMLFormElement>(null);
  const take = useAction(async (providerToken: string) => {
    const body = { direction: "provider", providerToken } as const;
    await ask(api.rotateToken({ params: { path: { providerId } }, body }));
    // It does not stay in the page.
    form.current?.reset();
    return "The provider's token was taken; calls from now on carry it";
  });
  const { of: faults, rest } = fieldFaults(take.trouble, ["providerToken"]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (form.current) void take.run(String(new FormData(form.current).get("providerToken") ?? "").trim());
  };
  return (
    <form class="stack tight" ref={form} onSubmit={submit} autocomplete="off">
      <FormField
        name="providerToken"
        label="New provider token"
        kind="secret"
        required
        fault={faults.providerToken}
        hint="As the provider issued it. The platform uses it from the next call on."
      />
      {rest && <TroubleBox trouble={rest} />}
      <p>
        <ActionButton action={take}>Take the new token</ActionButton>
      </p>
    </form>
  );
}
