import { useLocation } from "preact-iso";
import { useNames } from "../data/names.ts";
import { STATUS_WORDS } from "../job/job-status.tsx";
import { type BoardFilter, boardAddress, STATUSES } from "./board-filter.ts";

/** What is chosen goes into the address at once. */
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
          <option value="">Everything that is not over</option>
          {STATUSES.map((status) => (
            <option key={status} value={status} selected={status === filter.status}>
              {STATUS_WORDS[status].words}
            </option>
          ))}
        </select>
      </label>
      {boardAddress(filter) !== "/console/" && <a href="/console/">Show all that is not over</a>}
    </form>
  );
}

function statusOf(text: string | undefined): Pick<BoardFilter, "status"> {
  const status = STATUSES.find((each) => each === text);
  return status ? { status } : {};
}
