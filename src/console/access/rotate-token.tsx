import { useState } from "preact/hooks";
import type { Operator, OperatorTokenRotated } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { ActionButton } from "../integrations/action-button.tsx";
import { fieldFaults } from "../integrations/field-faults.ts";
import { FormField } from "../integrations/form-field.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Time } from "../parts/time.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { NewToken } from "./new-token.tsx";

interface Props {
  operator: Operator;
  onChanged(): void;
}

/** Makes a new token for an operator; the one before is valid for an overlap. */
export function RotateToken({ operator, onChanged }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        New token …<span class="unseen"> for {operator.name}</span>
      </button>
      <Dialog title={`New token for ${operator.name}`} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <Exchange operator={operator} onChanged={onChanged} />
      </Dialog>
    </>
  );
}

function Exchange({ operator: { operatorId }, onChanged }: Props) {
  const [rotated, setRotated] = useState<OperatorTokenRotated>();
  const rotate = useAction(async (overlapHours: number) => {
    const body = { overlapHours };
    setRotated(await ask(api.rotateOperatorToken({ params: { path: { operatorId } }, body })));
    onChanged();
  });
  if (!rotated) return <Order rotate={rotate} />;
  const { token, previousValidUntil } = rotated;
  return (
    <NewToken token={token}>
      {Date.parse(previousValidUntil) > Date.now() ? (
        <>
          The previous token is valid until <Time at={previousValidUntil} />.
        </>
      ) : (
        "The previous token is no longer valid."
      )}
    </NewToken>
  );
}

function Order({ rotate }: { rotate: Action<[number]> }) {
  const { of: faults, rest } = fieldFaults(rotate.trouble, ["overlapHours"]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement).get("overlapHours");
    void rotate.run(Number(given));
  };
  return (
    <form class="stack" onSubmit={submit} autocomplete="off">
      <p>The current token is accepted during the overlap. An older token that is still accepted ends now.</p>
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
        <ActionButton action={rotate} tone="danger">
          Create the token
        </ActionButton>
      </p>
    </form>
  );
}
