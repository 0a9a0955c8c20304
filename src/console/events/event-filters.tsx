import { eventStatusText } from "../../contract/operator-text.ts";
import { useNames } from "../data/names.ts";
import { TextFilter } from "../parts/text-filter.tsx";
import type { EventFilter } from "./event-filter.ts";
import { EVENT_STATUSES } from "./event-status.ts";

interface Props {
  filter: EventFilter;
  onFilter(filter: EventFilter): void;
}

/** The filters of the events page. Each change applies immediately. */
export function EventFilters({ filter, onFilter }: Props) {
  const set = (name: keyof EventFilter) => (value: string) => {
    const { [name]: _, ...others } = filter;
    onFilter(value === "" ? others : { ...others, [name]: value });
  };
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <OrganisationFilter value={filter.providerId} onPick={set("providerId")} />
      <label class="field">
        <span>Status</span>
        <select value={filter.status ?? ""} onChange={(event) => set("status")(event.currentTarget.value)}>
          <option value="">Any</option>
          {EVENT_STATUSES.map((status) => (
            <option key={status} value={status}>
              {eventStatusText({ status }).name}
            </option>
          ))}
        </select>
      </label>
      <TextFilter isId name="Shift id" value={filter.shiftId ?? ""} onGiven={set("shiftId")} />
      <TextFilter isId name="Trace id" value={filter.traceId ?? ""} onGiven={set("traceId")} />
      {Object.keys(filter).length > 0 && <a href="/console/events">Show all</a>}
    </form>
  );
}

interface OrganisationProps {
  value: string | undefined;
  onPick(providerId: string): void;
}

/** An id without a name remains selectable. */
export function OrganisationFilter({ value, onPick }: OrganisationProps) {
  const { integrations } = useNames();
  const isUnknown = value !== undefined && !integrations.some(({ providerId }) => providerId === value);
  return (
    <label class="field">
      <span>Organisation</span>
      <select value={value ?? ""} onChange={(event) => onPick(event.currentTarget.value)}>
        <option value="">All</option>
        {isUnknown && <option value={value}>{value}</option>}
        {integrations.map(({ providerId, name }) => (
          <option key={providerId} value={providerId}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
