import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { usePaused } from "../data/live.ts";
import { useNames } from "../data/names.ts";

/** Reads a member of a query; undefined for a value that it does not accept. */
type Rule = (text: string) => string | undefined;

/** The members of a filter. */
export type FilterRules = Readonly<Record<string, Rule>>;

export type Filter<Rules extends FilterRules> = {
  [name in keyof Rules]?: NonNullable<ReturnType<Rules[name]>>;
};

export const anyText = (text: string): string => text;

export const oneOf =
  <Value extends string>(values: readonly Value[]) =>
  (text: string): Value | undefined =>
    values.find((value) => value === text);

/** A calendar day: `2026-11-24`. */
export function aDay(text: string): string | undefined {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : undefined;
}

/** The filter in the query of an address, without unknown, invalid, or empty members. */
export function readFilter<Rules extends FilterRules>(
  rules: Rules,
  query: Readonly<Record<string, string>>,
): Filter<Rules> {
  const read = Object.entries(rules).map(([name, rule]) => [name, rule(query[name]?.trim() ?? "")]);
  return Object.fromEntries(read.filter(([, value]) => value));
}

/** The address of a page with the given members of a filter as its query. */
export function addressWith(path: string, filter: Readonly<object>): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== "");
  const query = new URLSearchParams(given);
  return query.size === 0 ? path : `${path}?${query}`;
}

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

interface View {
  name: string;
  path: string;
}

interface Props {
  views: readonly View[];
  /** The query that stays when the view changes: `?providerId=...`. */
  query?: string;
}

/** The views of the same objects, as links beside the title of each of them. */
export function Views({ views, query = "" }: Props) {
  const { path } = useLocation();
  return (
    <nav class="push views" aria-label="Views">
      <ul class="row">
        {views.map(({ name, path: to }) => (
          <li key={to}>
            <a href={`${to}${query}`} {...(isAt(path, to) && { "aria-current": "page" })}>
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

const isAt = (path: string, to: string) => path === to || `${path}/` === to;

const JOB_VIEWS = [
  { name: "List", path: "/console/" },
  { name: "Week", path: "/console/week" },
];

/** The filter by organisation stays. */
export function JobViews({ providerId }: { providerId: string | undefined }) {
  return <Views views={JOB_VIEWS} query={addressWith("", { providerId })} />;
}

const INTEGRATION_VIEWS = [
  { name: "List", path: "/console/integrations" },
  { name: "Health", path: "/console/health" },
];

export const IntegrationViews = () => <Views views={INTEGRATION_VIEWS} />;
