import { TextFilter } from "../parts/text-filter.tsx";
import type { AuditFilter } from "./audit-filter.ts";

interface Props {
  filter: AuditFilter;
  onFilter(filter: AuditFilter): void;
}

export function AuditFilters({ filter, onFilter }: Props) {
  const set = (name: keyof AuditFilter) => (value: string) => {
    const { [name]: _, ...others } = filter;
    onFilter(value === "" ? others : { ...others, [name]: value });
  };
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <TextFilter name="Operator" value={filter.operator ?? ""} onGiven={set("operator")} />
      <TextFilter isId name="Operation" value={filter.operation ?? ""} onGiven={set("operation")} />
      <TextFilter isId name="About the id" value={filter.subject ?? ""} onGiven={set("subject")} />
      <DayFilter name="From (UTC)" value={filter.from} onGiven={set("from")} />
      <DayFilter name="To (UTC)" value={filter.to} onGiven={set("to")} />
      {Object.keys(filter).length > 0 && <a href="/console/audit">Show all</a>}
    </form>
  );
}

interface DayProps {
  name: string;
  value: string | undefined;
  onGiven(value: string): void;
}

function DayFilter({ name, value = "", onGiven }: DayProps) {
  return (
    <label class="field">
      <span>{name}</span>
      <input type="date" value={value} onChange={(event) => onGiven(event.currentTarget.value)} />
    </label>
  );
}
