import { useState } from "preact/hooks";
import type { OperatorCreate, OperatorCreated } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { type Action, useAction } from "../data/use-action.ts";
import { ActionButton } from "../integrations/action-button.tsx";
import { fieldFaults } from "../integrations/field-faults.ts";
import { FormField } from "../integrations/form-field.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { NewToken } from "./new-token.tsx";
import { RoleField, roleIn } from "./role-field.tsx";

/** Adds an operator, and shows the token as long as the dialog is open. */
export function AddOperator({ onAdded }: { onAdded(): void }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button type="button" class="primary" onClick={() => setIsOpen(true)}>
        Add an operator …
      </button>
      <Dialog title="Add an operator" isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <Exchange onAdded={onAdded} />
      </Dialog>
    </>
  );
}

function Exchange({ onAdded }: { onAdded(): void }) {
  const [added, setAdded] = useState<OperatorCreated>();
  const add = useAction(async (body: OperatorCreate) => {
    const operator = await ask(api.createOperator({ body }));
    setAdded(operator);
    onAdded();
    return `${operator.name} is added.`;
  });
  if (added) return <NewToken token={added.token}>Give it to {added.name}.</NewToken>;
  return <Order add={add} />;
}

function Order({ add }: { add: Action<[OperatorCreate]> }) {
  const { of: faults, rest } = fieldFaults(add.trouble, ["name"]);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    void add.run({ name: String(given.get("name") ?? "").trim(), role: roleIn(given) });
  };
  return (
    <form class="stack" onSubmit={submit} autocomplete="off" noValidate>
      <FormField
        name="name"
        label="Name"
        required
        maxLength={100}
        fault={faults.name}
        hint="The name in the audit log."
      />
      <RoleField chosen="viewer" />
      <p class="hint">Each role includes the ones above it.</p>
      {rest && <TroubleBox trouble={rest} />}
      <p>
        <ActionButton action={add} tone="primary">
          Add
        </ActionButton>
      </p>
    </form>
  );
}
