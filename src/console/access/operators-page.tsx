import { useLocation } from "preact-iso";
import type { Operator } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { readAll } from "../data/use-pages.ts";
import { useQuery } from "../data/use-query.ts";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { ROLES } from "../session/me.ts";
import { AddOperator } from "./add-operator.tsx";
import { fits, type OperatorFilter, operatorFilterOf, operatorsAddress } from "./operator-filter.ts";
import { OperatorTable } from "./operator-table.tsx";
import { ROLE_NAMES } from "./role-field.tsx";

const PAGE = 200;

/** Who may call the operations API, and with which role. */
export function OperatorsPage() {
  const { query, route } = useLocation();
  const filter = operatorFilterOf(query);
  const list = useQuery("operators", () =>
    readAll((cursor) =>
      ask(api.listOperators({ params: { query: { limit: PAGE, ...(cursor && { cursor }) } } })),
    ),
  );
  return (
    <>
      <PageHead title="Operators">
        <span class="push" />
        <AddOperator onAdded={list.reload} />
      </PageHead>
      <Filters filter={filter} onFilter={(wanted) => route(operatorsAddress(wanted), true)} />
      <section id="operators" tabIndex={-1} aria-label="Operators">
        <Shown query={list} lines={6}>
          {(operators) => (
            <Operators shown={operators.filter((each) => fits(each, filter))} reload={list.reload} />
          )}
        </Shown>
      </section>
      <p class="hint">The first admin, with the OPERATIONS_TOKEN of the platform, is not in this list.</p>
    </>
  );
}

function Operators({ shown, reload }: { shown: Operator[]; reload(): void }) {
  if (shown.length > 0) return <OperatorTable operators={shown} onChanged={reload} />;
  return (
    <Empty title="No operator matches the filters">
      <p>
        Add an operator, or <a href="/console/operators?state=all">show all operators</a>.
      </p>
    </Empty>
  );
}

interface FilterProps {
  filter: OperatorFilter;
  onFilter(filter: OperatorFilter): void;
}

function Filters({ filter, onFilter }: FilterProps) {
  const choose = (form: HTMLFormElement) =>
    onFilter(operatorFilterOf(Object.fromEntries(new FormData(form)) as Record<string, string>));
  return (
    <form class="filters" aria-label="Filters" onChange={(event) => choose(event.currentTarget)}>
      <label class="field">
        <span>State</span>
        <select name="state" value={filter.state ?? ""}>
          <option value="">Valid</option>
          <option value="revoked">Revoked</option>
          <option value="all">All</option>
        </select>
      </label>
      <label class="field">
        <span>Role</span>
        <select name="role" value={filter.role ?? ""}>
          <option value="">Any</option>
          {ROLES.map((role) => (
            <option key={role} value={role}>
              {ROLE_NAMES[role].name}
            </option>
          ))}
        </select>
      </label>
    </form>
  );
}
