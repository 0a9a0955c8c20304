import { useEffect, useRef, useState } from "preact/hooks";
import type { Integration, PlatformTokenRotated } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { Dialog } from "../parts/dialog.tsx";
import { Time } from "../parts/time.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ActionButton } from "./action-button.tsx";
import { fieldFaults } from "./field-faults.ts";
import { FormField } from "./form-field.tsx";
import { SecretOnce } from "./secret-once.tsx";

export function PlatformToken({ providerId }: Integration) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <p>
      <button type="button" onClick={() => setIsOpen(true)}>
        Create a new platform token …
      </button>
      <Dialog title="New platform token" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        {/* The token is shown no longer than the dialog. */}
        <Exchange providerId={providerId} />
      </Dialog>
    </p>
  );
}

function Exchange({ providerId }: { providerId: string }) {
  const [rotated, setRotated] = useState<PlatformTokenRotated>();
  const exchange = useAction(async (overlapHours: number) => {
    const body = { direction: "platform", overlapHours } as const;
    const response = await ask(api.rotateToken({ params: { path: { providerId } }, body }));
    if ("platformToken" in response) setRotated(response);
  });
  return rotated ? <NewToken {...rotated} /> : <Order exchange={exchange} />;
}

function Order({ exchange }: { exchange: Action<[number]> }) {
  const { of: faults, rest } = fieldFaults(exchange.trouble, ["overlapHours"]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get("overlapHours");
    void exchange.run(Number(given));
  };
  return (
    <form class="stack" onSubmit={submit} autocomplete="off">
      <p>
        Webhooks with the current token are accepted during the overlap and rejected with 401 afterwards. An
        older token that is still accepted ends now.
      </p>
      <FormField
        name="overlapHours"
        label="Overlap in hours"
        kind="number"
        min={0}
        max={720}
        step={1}
        required
        defaultValue="24"
        fault={faults.overlapHours}
        hint="0 to 720. With 0 the current token ends now: use it for a leaked token."
      />
      {rest && <TroubleBox trouble={rest} />}
      <p>
        <ActionButton action={exchange} tone="danger">
          Create the token
        </ActionButton>
      </p>
    </form>
  );
}

function NewToken({ platformToken, previousValidUntil }: PlatformTokenRotated) {
  const box = useRef<HTMLDivElement>(null);
  // The form that had the focus is closed.
  useEffect(() => box.current?.focus(), []);
  return (
    <div class="stack" ref={box} tabIndex={-1}>
      <SecretOnce name="PLATFORM_TOKEN" secret={platformToken} />
      <p>
        {Date.parse(previousValidUntil) > Date.now() ? (
          <>
            Give it to the provider. The previous token is valid until <Time at={previousValidUntil} />.
          </>
        ) : (
          "Give it to the provider. The previous token is no longer valid."
        )}
      </p>
    </div>
  );
}
