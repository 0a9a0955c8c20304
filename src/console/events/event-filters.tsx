import { useEffect, useState } from "preact/hooks";
import { eventStatusText } from "../../contract/operator-text.ts";
import { useNames } from "../data/names.ts";
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
      <IdFilter name="Shift id" value={filter.shiftId ?? ""} onGiven={set("shiftId")} />
      <IdFilter name="Trace id" value={filter.traceId ?? ""} onGiven={set("traceId")} />
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

interface IdProps {
  name: string;
  value: string;
  onGiven(value: string): void;
}

/** Applies on blur or Enter, because half an id finds nothing. */
function IdFilter({ name, value, onGiven }: IdProps) {
  const [draft, setDraft] = useState(value);
  useEffect(() => setDraft(value), [value]);
  return (
    <label class="field">
      <span>{name}</span>
      <input
        class="id-filter"
        value={draft}
        spellcheck={false}
        autocomplete="off"
        maxLength={100}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => onGiven(event.currentTarget.value.trim())}
      />
    </label>
  );
}
