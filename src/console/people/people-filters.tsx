import { useNames } from "../data/names.ts";
import { TextFilter } from "../parts/text-filter.tsx";
import type { PeopleFilter } from "./person-filter.ts";

interface Props {
  filter: PeopleFilter;
  onFilter(filter: PeopleFilter): void;
}

export function PeopleFilters({ filter, onFilter }: Props) {
  const { competences } = useNames();
  const set = (name: keyof PeopleFilter) => (value: string) => {
    const { [name]: _, ...others } = filter;
    onFilter(value === "" ? others : { ...others, [name]: value });
  };
  const { competenceId } = filter;
  const isUnknown =
    competenceId !== undefined && !competences.some((known) => known.competenceId === competenceId);
  return (
    <form class="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
      <TextFilter name="Name" value={filter.search ?? ""} onGiven={set("search")} />
      <label class="field">
        <span>Competence</span>
        <select
          value={competenceId ?? ""}
          onChange={(event) => set("competenceId")(event.currentTarget.value)}
        >
          <option value="">Any</option>
          {isUnknown && <option value={competenceId}>{competenceId}</option>}
          {competences.map((competence) => (
            <option key={competence.competenceId} value={competence.competenceId}>
              {competence.name}
            </option>
          ))}
        </select>
      </label>
      {Object.keys(filter).length > 0 && <a href="/console/people">Show all</a>}
    </form>
  );
}
