import { useLocation } from "preact-iso";
import { jobStatusText } from "../../contract/operator-text.ts";
import { useNames } from "../data/names.ts";
import { type BoardFilter, boardAddress, STATUSES } from "./board-filter.ts";

/** The filters of the board. Each change goes into the address immediately. */
export function FilterBar({ filter }: { filter: BoardFilter }) {
  const { route } = useLocation();
  const { integrations } = useNames();
  const choose = (form: HTMLFormElement) => {
    const { providerId, status } = Object.fromEntries(new FormData(form)) as Record<string, string>;
    route(boardAddress({ ...(providerId && { providerId }), ...statusOf(status) }), true);
  };
  return (
    <form class="filters" aria-label="Filters" onChange={(event) => choose(event.currentTarget)}>
      <label class="field">
        <span>Organisation</span>
        <select name="providerId" value={filter.providerId ?? ""}>
          <option value="">All</option>
          {integrations.map(({ providerId, name }) => (
            <option key={providerId} value={providerId} selected={providerId === filter.providerId}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label class="field">
        <span>Status</span>
        <select name="status" value={filter.status ?? ""}>
          <option value="">All current</option>
          {STATUSES.map((status) => (
            <option key={status} value={status} selected={status === filter.status}>
              {jobStatusText(status)}
            </option>
          ))}
        </select>
      </label>
      {boardAddress(filter) !== "/console/" && <a href="/console/">Reset the filters</a>}
    </form>
  );
}

function statusOf(text: string | undefined): Pick<BoardFilter, "status"> {
  const status = STATUSES.find((each) => each === text);
  return status ? { status } : {};
}
