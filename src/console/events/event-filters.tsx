import { useEffect, useState } from "preact/hooks";
import type { EventStatus } from "../../../generated/operations/types.ts";
import { useNames } from "../data/names.ts";
import type { EventFilter } from "./event-filter.ts";
import { STATUS_WORDS } from "./event-words.ts";

interface Props {
  filter: EventFilter;
  onFilter(filter: EventFilter): void;
}

/** Which events are shown; each change counts at once. */
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
          {(Object.keys(STATUS_WORDS) as EventStatus[]).map((status) => (
            <option key={status} value={status}>
              {STATUS_WORDS[status].name}
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

/** An id of the address that has no name stays what is filtered by. */
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

/** Counts when it is left or Enter is pressed: half an id finds nothing. */
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
