import type { ProviderStatistics } from "../../../generated/operations/types.ts";
import { oneOf } from "../components/filter.ts";
import { useFilter } from "../components/filters.tsx";
import { PageHead } from "../components/page-head.tsx";
import { Empty, QueryView } from "../components/query-view.tsx";
import { Section } from "../components/section.tsx";
import { ShortId } from "../components/short-id.tsx";
import { type Column, Table } from "../components/table.tsx";
import { formatCount } from "../components/times.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { useQuery } from "../data/use-query.ts";
import { useRefresh } from "../data/use-refresh.ts";
import { chartsOf, isEmpty } from "./chart.ts";
import { ChartSection } from "./chart-section.tsx";
import "./statistics.css";

/** The ranges by their minutes. */
const RANGES = { "60": "Last hour", "1440": "Last 24 hours", "10080": "Last 7 days" } as const;
type Minutes = keyof typeof RANGES;

const FILTER = { minutes: oneOf(Object.keys(RANGES) as Minutes[]) };

/** Acknowledgements, webhooks, and calls to providers over time. */
export function StatisticsPage() {
  const { minutes = "60" } = useFilter("/console/statistics", FILTER).filter;
  const query = useQuery(
    `statistics ${minutes}`,
    () => ask(api.getStatistics({ params: { query: { minutes: Number(minutes) } } })),
    ({ type }) => type === "event",
  );
  useRefresh(query.reload);
  return (
    <>
      <PageHead title="Statistics" />
      <Ranges current={minutes} />
      <QueryView query={query} lines={18}>
        {(statistics) =>
          isEmpty(statistics) ? (
            <Empty title={`Nothing happened in the ${RANGES[minutes].toLowerCase()}`}>
              <p>Statistics start with the first webhook that a provider sends.</p>
            </Empty>
          ) : (
            <div class="stack">
              {chartsOf(statistics).map((chart) => (
                <ChartSection key={chart.title} chart={chart} statistics={statistics} />
              ))}
              <Providers providers={statistics.providers} />
            </div>
          )
        }
      </QueryView>
    </>
  );
}

function Ranges({ current }: { current: Minutes }) {
  return (
    <nav aria-label="Time range" class="ranges">
      <ul class="row">
        {Object.entries(RANGES).map(([minutes, name]) => (
          <li key={minutes}>
            <a
              href={`/console/statistics?minutes=${minutes}`}
              {...(minutes === current && { "aria-current": "true" })}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** The calls and failures of each provider, the most failures first. */
function Providers({ providers }: { providers: ProviderStatistics[] }) {
  const names = useNames();
  const columns: Column<ProviderStatistics>[] = [
    {
      name: "Organisation",
      cell: ({ providerId }) => {
        const name = names.integration(providerId)?.name;
        if (name === undefined) return <ShortId id={providerId} />;
        return <a href={`/console/integrations/${providerId}`}>{name}</a>;
      },
    },
    { name: "Calls", isNumber: true, cell: ({ calls }) => formatCount(calls) },
    { name: "Failed", isNumber: true, cell: ({ failures }) => formatCount(failures) },
    { name: "Share", isNumber: true, cell: shareOf },
  ];
  return (
    <Section id="providers" title="Providers">
      {providers.length === 0 ? (
        <p class="soft">No provider was called in this time.</p>
      ) : (
        <Table
          caption="Calls and failures of each provider, most failures first"
          columns={columns}
          rows={providers}
          keyOf={({ providerId }) => providerId}
        />
      )}
    </Section>
  );
}

/** Never 0 % when a call failed. */
function shareOf({ failures, calls }: ProviderStatistics): string {
  if (failures === 0 || calls === 0) return "0 %";
  const percent = (failures / calls) * 100;
  return percent < 1 ? "under 1 %" : `${Math.round(percent)} %`;
}
