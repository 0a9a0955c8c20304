import type { Job, JobStatus } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { type BoardFilter, boardAddress } from "./board-filter.ts";

interface Props {
  filter: BoardFilter;
  jobs: ReadonlyMap<string, Job> | undefined;
}

const COUNTED = [
  ["open", "Open"],
  ["filled", "Filled"],
  ["blocked_mapping", "Blocked"],
] as const satisfies readonly [JobStatus, string][];
const MANY = 200;

/** The numbers of jobs and issues; each links to what it counts. */
export function Counts({ filter, jobs }: Props) {
  const count = (status: JobStatus) =>
    jobs && [...jobs.values()].filter((job) => job.status === status).length;
  return (
    <ul class="counts" aria-label="Numbers of jobs">
      {COUNTED.map(([status, name]) => (
        <Count
          key={status}
          name={name}
          href={boardAddress({ ...filter, status })}
          isCurrent={filter.status === status}
          value={count(status)}
        />
      ))}
      <OpenIssues {...(filter.providerId !== undefined && { providerId: filter.providerId })} />
    </ul>
  );
}

function OpenIssues({ providerId }: { providerId?: string }) {
  const query = { limit: MANY, ...(providerId && { providerId }) };
  const { data } = useQuery(
    `issues of ${providerId}`,
    () => ask(api.listIssues({ params: { query } })),
    ({ type }) => type === "issue",
  );
  const value = data && (data.nextCursor ? `${data.items.length}+` : data.items.length);
  const href = providerId ? `/console/issues?providerId=${providerId}` : "/console/issues";
  return <Count name="Open issues" href={href} value={value} isBad={value !== undefined && value !== 0} />;
}

interface CountProps {
  name: string;
  href: string;
  /** Undefined while it is not known. */
  value: number | string | undefined;
  isCurrent?: boolean;
  isBad?: boolean;
}

function Count({ name, href, value, isCurrent = false, isBad = false }: CountProps) {
  return (
    <li>
      <a href={href} data-bad={isBad} {...(isCurrent && { "aria-current": "true" as const })}>
        <strong>{value ?? "–"}</strong> {name}
      </a>
    </li>
  );
}
