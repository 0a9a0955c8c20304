import type { Operator } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { Badge } from "../parts/badge.tsx";
import { ConfirmedAction } from "../parts/confirmed-action.tsx";
import { Time } from "../parts/time.tsx";
import { ChangeRole } from "./change-role.tsx";
import { ROLE_NAMES } from "./role-field.tsx";
import { RotateToken } from "./rotate-token.tsx";

interface Props {
  operators: Operator[];
  onChanged(): void;
}

export function OperatorTable({ operators, onChanged }: Props) {
  return (
    <table class="cards">
      <caption class="unseen">Operators, the newest first</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Role</th>
          <th scope="col">Added</th>
          <th scope="col">Tokens</th>
          <th scope="col">
            <span class="unseen">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {operators.map((operator) => (
          <Row key={operator.operatorId} operator={operator} onChanged={onChanged} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ operator, onChanged }: { operator: Operator; onChanged(): void }) {
  const { name, role, createdAt, revokedAt } = operator;
  return (
    <tr>
      <td data-label="Name">
        <a href={`/console/audit?${new URLSearchParams({ operator: name })}`}>{name}</a>
      </td>
      <td data-label="Role">
        <Badge tone={role === "admin" ? "warn" : "plain"}>{ROLE_NAMES[role].name}</Badge>
      </td>
      <td data-label="Added">
        <Time at={createdAt} />
      </td>
      <td data-label="Tokens">
        <Tokens operator={operator} />
      </td>
      <td data-label="">
        {revokedAt === undefined && (
          <span class="row">
            <RotateToken operator={operator} onChanged={onChanged} />
            <ChangeRole operator={operator} onChanged={onChanged} />
            <Revoke operator={operator} onChanged={onChanged} />
          </span>
        )}
      </td>
    </tr>
  );
}

function Tokens({ operator: { tokens, revokedAt } }: { operator: Operator }) {
  if (revokedAt !== undefined) {
    return (
      <span>
        revoked <Time at={revokedAt} />
      </span>
    );
  }
  if (tokens.length === 0) return <span class="soft">none is valid</span>;
  return (
    <ul>
      {tokens.map(({ createdAt, validUntil }) => (
        <li key={createdAt}>
          from <Time at={createdAt} />
          {validUntil !== undefined && (
            <>
              {" "}
              until <Time at={validUntil} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

function Revoke({ operator: { operatorId, name }, onChanged }: { operator: Operator; onChanged(): void }) {
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
        Every token of {name} ends within seconds. The entries in the audit log stay. This cannot be undone:
        add the operator anew if needed.
      </p>
    </ConfirmedAction>
  );
}
