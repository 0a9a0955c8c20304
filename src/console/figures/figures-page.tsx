import { useLocation } from "preact-iso";
import type { Statistics } from "../../../generated/operations/types.ts";
import { api } from "../data/api.ts";
import { ask } from "../data/trouble.ts";
import { useQuery } from "../data/use-query.ts";
import { useRefresh } from "../data/use-refresh.ts";
import { PageHead } from "../parts/page-head.tsx";
import { Empty, Shown } from "../parts/shown.tsx";
import { chartsOf, isQuiet } from "./chart.ts";
import { ChartPanel } from "./chart-panel.tsx";
import { ProviderTable } from "./provider-table.tsx";
import { RANGES, type Range, rangeOf } from "./range.ts";
import "./figures.css";

/** How the platform is doing over time. */
export function FiguresPage() {
  const range = rangeOf(useLocation().query);
  const { minutes } = range;
  const query = useQuery(
    `figures ${minutes}`,
    () => ask(api.getStatistics({ params: { query: { minutes } } })),
    ({ type }) => type === "event",
  );
  useRefresh(query.reload);
  return (
    <>
      <PageHead title="Figures" />
      <Ranges current={range} />
      <Shown query={query} lines={18}>
        {(statistics) =>
          isQuiet(statistics) ? <NothingYet name={range.name} /> : <Panels statistics={statistics} />
        }
      </Shown>
    </>
  );
}

function Ranges({ current }: { current: Range }) {
  return (
    <nav aria-label="Time" class="ranges">
      <ul class="row">
        {RANGES.map((range) => (
          <li key={range.minutes}>
            <a
              href={`/console/figures?minutes=${range.minutes}`}
              {...(range === current && { "aria-current": "true" })}
            >
              {range.name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Panels({ statistics }: { statistics: Statistics }) {
  return (
    <div class="stack">
      {chartsOf(statistics).map((chart) => (
        <ChartPanel key={chart.title} chart={chart} statistics={statistics} />
      ))}
      <ProviderTable providers={statistics.providers} />
    </div>
  );
}

function NothingYet({ name }: { name: string }) {
  return (
    <Empty title={`Nothing happened in the ${name.toLowerCase()}`}>
      <p>Figures come with the webhooks that providers send, and with the calls that answer them.</p>
    </Empty>
  );
}
