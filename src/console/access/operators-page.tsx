import type { Operator } from "../../../generated/operations/types.ts";
import { ROLE_NAMES } from "../../contract/role.ts";
import { Badge, type Column } from "../components/cells.tsx";
import { type Filter, FilterForm, oneOf, SelectFilter, useFilter } from "../components/filters.tsx";
import { PageHead } from "../components/section.tsx";
import { Empty, More, QueryView, Table } from "../components/table.tsx";
import { dayKey, Time } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { type ReadPage, usePages } from "../data/pages.ts";
import { ROLES } from "../session/me.ts";
import { isEnding } from "../session/sign-in.tsx";
import { AddOperator, OperatorActions } from "./operator-actions.tsx";

/** Without a state, operators who are not revoked. */
const FILTER = { state: oneOf(["valid", "revoked", "all"]), role: oneOf(ROLE_NAMES) };

/** Who may call the operations API, and with which role. */
export function OperatorsPage() {
  const { filter, set } = useFilter("/console/operators", FILTER);
  const list = usePages(`operators ${JSON.stringify(filter)}`, (page) =>
    ask(api.listOperators({ params: { query: { ...queryOf(filter), ...page } } })),
  );
  return (
    <>
      <PageHead title="Operators">
        <span class="push" />
        <AddOperator onAdded={list.reload} />
      </PageHead>
      <FilterForm>
        <SelectFilter
          name="State"
          value={filter.state}
          none="Valid"
          options={[
            ["revoked", "Revoked"],
            ["all", "All"],
          ]}
          onChange={set("state")}
        />
        <SelectFilter
          name="Role"
          value={filter.role}
          options={ROLE_NAMES.map((role) => [role, ROLES[role].name])}
          onChange={set("role")}
        />
      </FilterForm>
      <section id="operators" tabIndex={-1} aria-label="Operators">
        <QueryView query={list} lines={6}>
          {(shown) => <Operators shown={shown} reload={list.reload} readPage={list.readPage} />}
        </QueryView>
        <More pages={list} />
      </section>
      <p class="hint">The first admin, with the OPERATIONS_TOKEN of the platform, is not in this list.</p>
    </>
  );
}

function queryOf({ role, state = "valid" }: Filter<typeof FILTER>) {
  return { ...(role !== undefined && { role }), ...(state !== "all" && { state }) };
}

function Operators({
  shown,
  reload,
  readPage,
}: {
  shown: Operator[];
  reload(): void;
  readPage: ReadPage<Operator>;
}) {
  if (shown.length === 0) {
    return (
      <Empty title="No operator matches the filters">
        <p>
          Add an operator, or <a href="/console/operators?state=all">show all operators</a>.
        </p>
      </Empty>
    );
  }
  const columns: Column<Operator>[] = [
    ...COLUMNS,
    {
      name: "Actions",
      isActions: true,
      cell: (operator) => <OperatorActions operator={operator} onChanged={reload} />,
    },
  ];
  return (
    <Table
      saved={{ name: "operators", readPage }}
      caption="Operators, newest first"
      columns={columns}
      rows={shown}
      keyOf={({ operatorId }) => operatorId}
    />
  );
}

const COLUMNS: readonly Column<Operator>[] = [
  {
    name: "Name",
    cell: ({ name }) => <a href={`/console/audit?${new URLSearchParams({ operator: name })}`}>{name}</a>,
  },
  {
    name: "Role",
    cell: ({ role }) => <Badge tone={role === "admin" ? "warn" : "plain"}>{ROLES[role].name}</Badge>,
  },
  { name: "Added", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { name: "Tokens", cell: (operator) => <Tokens {...operator} /> },
];

function Tokens({ tokens, revokedAt }: Operator) {
  if (revokedAt !== undefined) {
    return (
      <>
        revoked <Time at={revokedAt} />
      </>
    );
  }
  if (tokens.length === 0) return <Badge tone="warn">none is valid</Badge>;
  return (
    <ul>
      {tokens.map(({ createdAt, validUntil }) => (
        <li key={validUntil}>
          from <Time at={createdAt} /> until{" "}
          {isEnding(validUntil) ? <Time at={validUntil} /> : dayKey(validUntil)}
          {isEnding(validUntil) && (
            <>
              {" "}
              <Badge tone="warn">expires soon</Badge>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
