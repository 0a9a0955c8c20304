import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { useNames } from "../data/names.ts";
import { usePaused } from "../data/use-paused.ts";
import { addressWith, type Filter, type FilterRules, readFilter } from "./filter.ts";

interface FilterState<Rules extends FilterRules> {
  filter: Filter<Rules>;
  isFiltered: boolean;
  /** The page without a filter. */
  path: string;
  /** Sets one member, in the address; an empty value removes it. */
  set(name: keyof Rules): (value: string) => void;
}

/** The filter of a list, which is the query of the address: a link to a filtered list can be shared. */
export function useFilter<Rules extends FilterRules>(path: string, rules: Rules): FilterState<Rules> {
  const { query, route } = useLocation();
  const filter = readFilter(rules, query);
  return {
    filter,
    path,
    isFiltered: Object.keys(filter).length > 0,
    set: (name) => (value) => route(addressWith(path, { ...filter, [name]: value }), true),
  };
}

interface FormProps {
  isFiltered?: boolean;
  path?: string;
  /** Unlike that of every other one on the page. */
  label?: string;
  children: ComponentChildren;
}

export function FilterForm({ isFiltered = false, path = "", label = "Filters", children }: FormProps) {
  return (
    <form class="filters" aria-label={label} onSubmit={(event) => event.preventDefault()}>
      {children}
      {isFiltered && <a href={path}>Reset filters</a>}
    </form>
  );
}

interface FieldProps {
  name: string;
  value: string | undefined;
  onChange(value: string): void;
}

interface SelectProps extends FieldProps {
  /** Each value with its text. */
  options: readonly (readonly [string, string])[];
  /** The choice of no filter. */
  none?: string;
}

/** An unknown value remains selectable. */
export function SelectFilter({ name, value = "", options, none = "Any", onChange }: SelectProps) {
  const isUnknown = value !== "" && !options.some(([known]) => known === value);
  return (
    <label class="field">
      <span>{name}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{none}</option>
        {isUnknown && <option value={value}>{value}</option>}
        {options.map(([each, text]) => (
          <option key={each} value={each} selected={each === value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

export function OrganisationFilter(props: Omit<FieldProps, "name">) {
  const options = useNames().integrations.map(({ providerId, name }) => [providerId, name] as const);
  return <SelectFilter {...props} name="Organisation" none="All" options={options} />;
}

export function CompetenceFilter(props: Omit<FieldProps, "name">) {
  const options = useNames().competences.map(({ competenceId, name }) => [competenceId, name] as const);
  return <SelectFilter {...props} name="Competence" options={options} />;
}

/** A filter that applies once the typing pauses; of ids, on blur or Enter, because half an id finds nothing. Ids are shown in fixed width. */
export function TextFilter({ name, value = "", isId = false, onChange }: FieldProps & { isId?: boolean }) {
  const [draft, setDraft] = useState(value);
  const paused = usePaused(draft.trim());
  useEffect(() => setDraft(value), [value]);
  useEffect(() => {
    if (!isId && paused !== value && paused === draft.trim()) onChange(paused);
  }, [paused]);
  return (
    <label class="field">
      <span>{name}</span>
      <input
        {...(isId && { class: "id-filter" })}
        value={draft}
        spellcheck={false}
        autocomplete="off"
        maxLength={100}
        onInput={(event) => setDraft(event.currentTarget.value)}
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
    </label>
  );
}

export function DayFilter({ name, value = "", onChange }: FieldProps) {
  return (
    <label class="field">
      <span>{name}</span>
      <input type="date" value={value} onChange={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}
