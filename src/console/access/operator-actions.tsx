import { useState } from "preact/hooks";
import type { Operator, OperatorCreate, OperatorCreated, Role } from "../../../generated/operations/types.ts";
import { ROLE_NAMES } from "../../contract/role.ts";
import { ConfirmedAction, DialogButton } from "../components/dialog.tsx";
import { Form, FormField, RadioField, textIn } from "../components/form.tsx";
import { NewToken, TokenRotation } from "../components/secret.tsx";
import { dayKey } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useAction } from "../data/use-action.ts";
import { ROLES } from "../session/me.ts";

/** Adds an operator, and shows the token as long as the dialog is open. */
export function AddOperator({ onAdded }: { onAdded(): void }) {
  return (
    <DialogButton label="Add an operator …" title="Add an operator" tone="primary">
      {() => <AddForm onAdded={onAdded} />}
    </DialogButton>
  );
}

function AddForm({ onAdded }: { onAdded(): void }) {
  const [added, setAdded] = useState<OperatorCreated>();
  const add = useAction(async (body: OperatorCreate) => {
    const operator = await ask(api.createOperator({ body }));
    setAdded(operator);
    onAdded();
    return `${operator.name} is added.`;
  });
  if (added) {
    return (
      <NewToken name="Token" token={added.token}>
        Give it to {added.name}. It expires on {dayKey(added.validUntil)}.
      </NewToken>
    );
  }
  return (
    <Form
      action={add}
      fields={["name", "validDays"]}
      submit="Add"
      onSubmit={(given) =>
        void add.run({ name: textIn(given, "name"), role: roleIn(given), validDays: validDaysIn(given) })
      }
    >
      <FormField name="name" label="Name" required maxLength={100} hint="The name in the audit log." />
      <RoleField chosen="viewer" />
      <p class="hint">Each role includes the ones above it.</p>
      <ValidDaysField />
    </Form>
  );
}

const ValidDaysField = () => (
  <FormField
    name="validDays"
    label="Valid for days"
    kind="number"
    min={1}
    max={730}
    step={1}
    required
    defaultValue="365"
    hint="1 to 730. The console warns the holder 14 days before the token expires."
  />
);

const validDaysIn = (given: FormData) => Number(given.get("validDays"));

const CHOICES = ROLE_NAMES.map((role) => {
  const { name, may } = ROLES[role];
  const label = (
    <>
      {name} <span class="soft">{may}</span>
    </>
  );
  return [role, label] as const;
});

const RoleField = ({ chosen }: { chosen: Role }) => (
  <RadioField name="role" legend="Role" choices={CHOICES} chosen={chosen} />
);

const roleIn = (given: FormData): Role => ROLE_NAMES.find((role) => role === given.get("role")) ?? "viewer";

interface Props {
  operator: Operator;
  onChanged(): void;
}

/** A new token, another role, or the end of an operator who is not revoked. */
export function OperatorActions(props: Props) {
  const { operator, onChanged } = props;
  if (operator.revokedAt !== undefined) return null;
  return (
    <span class="row">
      <NewTokenButton {...props} />
      <DialogButton
        label="Role …"
        of={`of ${operator.name}`}
        title={`Role of ${operator.name}`}
        onDone={onChanged}
      >
        {(done) => <RoleForm operator={operator} onChanged={done} />}
      </DialogButton>
      <Revoke {...props} />
    </span>
  );
}

function NewTokenButton({ operator: { operatorId, name }, onChanged }: Props) {
  const rotate = async (overlapHours: number, given: FormData) => {
    const params = { path: { operatorId } };
    const body = { overlapHours, validDays: validDaysIn(given) };
    const rotated = await ask(api.rotateOperatorToken({ params, body }));
    onChanged();
    return rotated;
  };
  return (
    <DialogButton label="New token …" of={`for ${name}`} title={`New token for ${name}`}>
      {() => (
        <TokenRotation
          name="Token"
          rotate={rotate}
          effect="The current token is accepted during the overlap."
        >
          <ValidDaysField />
        </TokenRotation>
      )}
    </DialogButton>
  );
}

/** The new role applies to the tokens that the operator has. */
function RoleForm({ operator: { operatorId, name, role: current }, onChanged }: Props) {
  const change = useAction(async (role: Role) => {
    await ask(api.changeOperator({ params: { path: { operatorId } }, body: { role } }));
    onChanged();
    return `${name} has the role ${ROLES[role].name}.`;
  });
  return (
    <Form
      action={change}
      fields={[]}
      submit="Change the role"
      onSubmit={(given) => void change.run(roleIn(given))}
    >
      <RoleField chosen={current} />
    </Form>
  );
}

function Revoke({ operator: { operatorId, name }, onChanged }: Props) {
  const revoke = async () => {
    await ask(api.revokeOperator({ params: { path: { operatorId } } }));
    onChanged();
    return `${name} is revoked.`;
  };
  return (
    <ConfirmedAction
      label="Revoke …"
      of={name}
      title={`Revoke ${name}?`}
      confirm={`Revoke ${name}`}
      act={revoke}
      focusAfter="operators"
    >
      <p>
        Every token of {name} stops working within seconds. The entries in the audit log stay. To restore
        access, add the operator again.
      </p>
    </ConfirmedAction>
  );
}
