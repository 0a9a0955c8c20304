import { useState } from "preact/hooks";
import type { Operator, Role } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useAction } from "../data/use-action.ts";
import { ActionButton } from "../integrations/action-button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { TroubleBox } from "../parts/trouble-box.tsx";
import { ROLE_NAMES, RoleField, roleIn } from "./role-field.tsx";

interface Props {
  operator: Operator;
  onChanged(): void;
}

/** Gives an operator another role, which applies to the tokens that the operator has. */
export function ChangeRole({ operator, onChanged }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  const change = useAction(async (role: Role) => {
    const { operatorId, name } = operator;
    await ask(api.changeOperator({ params: { path: { operatorId } }, body: { role } }));
    setIsOpen(false);
    onChanged();
    return `${name} has the role ${ROLE_NAMES[role].name}.`;
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    void change.run(roleIn(new FormData(event.currentTarget as HTMLFormElement)));
  };
  return (
    <>
      <button type="button" onClick={() => setIsOpen(true)}>
        Role …<span class="unseen"> of {operator.name}</span>
      </button>
      <Dialog title={`Role of ${operator.name}`} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <form class="stack" onSubmit={submit}>
          <RoleField chosen={operator.role} />
          {change.trouble && <TroubleBox trouble={change.trouble} />}
          <p>
            <ActionButton action={change} tone="primary">
              Change the role
            </ActionButton>
          </p>
        </form>
      </Dialog>
    </>
  );
}
