import { useLocation } from "preact-iso";
import { addressWith } from "./filter.ts";

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
