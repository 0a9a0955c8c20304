import { useRef } from "preact/hooks";
import type { Integration } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { fieldFaults } from "./field-faults.ts";
import { FormField } from "./form-field.tsx";

/** The form for a new token of the provider. */
export function ProviderToken({ providerId }: Integration) {
  const form = useRef<HTMLFormElement>(null);
  const enter = useAction(async (providerToken: string) => {
    const body = { direction: "provider", providerToken } as const;
    await ask(api.rotateToken({ params: { path: { providerId } }, body }));
    // The token must not stay in the page.
    form.current?.reset();
    return "Provider token saved. The platform uses it from the next call.";
  });
  const { of: faults, rest } = fieldFaults(enter.trouble, ["providerToken"]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (form.current) void enter.run(String(new FormData(form.current).get("providerToken") ?? "").trim());
  };
  return (
    <form class="stack tight" ref={form} onSubmit={submit} autocomplete="off">
      <FormField
        name="providerToken"
        label="New provider token"
        kind="secret"
        required
        fault={faults.providerToken}
        hint="As the provider issued it. The platform uses it from the next call."
      />
      {rest && <TroubleBox trouble={rest} />}
      <p>
        <ActionButton action={enter}>Save the new token</ActionButton>
      </p>
    </form>
  );
}
