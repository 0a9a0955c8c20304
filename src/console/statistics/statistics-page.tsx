import "../styles/pages.css";
import { useMemo } from "preact/hooks";
import type {
  OrganisationFigures,
  StaffingFigures,
  Statistics,
  WeekFigures,
} from "../../../generated/operations/types.ts";
import { type Column, ShortId } from "../components/cells.tsx";
import {
  aDay,
  anyText,
  DayFilter,
  FilterForm,
  OrganisationFilter,
  useFilter,
} from "../components/filters.tsx";
import { PageHead, Section } from "../components/section.tsx";
import { Empty, QueryView, Table } from "../components/table.tsx";
import { formatCount, shortDay } from "../components/time.tsx";
import { api } from "../data/api.ts";
import { ask } from "../data/errors.ts";
import { useNames } from "../data/names.ts";
import { useQuery } from "../data/use-query.ts";
import { ChartSection, chartsOf, fillText, isEmpty, timeText } from "./chart-section.tsx";

const FILTER = { from: aDay, until: aDay, providerId: anyText };

/** How shifts are filled, by week and organisation. */
export function StatisticsPage() {
  const { filter, set, ...filtering } = useFilter("/console/statistics", FILTER);
  const query = useQuery(`statistics ${JSON.stringify(filter)}`, () =>
    ask(api.getStatistics({ params: { query: filter } })),
  );
  // The platform chooses the days that are not given.
  const { from, until } = { ...query.data, ...filter };
  return (
    <>
      <PageHead title="Statistics" />
      <FilterForm {...filtering}>
        <DayFilter name="First day" value={from} onChange={set("from")} />
        <DayFilter name="Last day" value={until} onChange={set("until")} />
        <OrganisationFilter value={filter.providerId} onChange={set("providerId")} />
      </FilterForm>
      <QueryView query={query} lines={18}>
        {(statistics) =>
          isEmpty(statistics) ? (
            <Empty title="No shift starts in this period">
              <p>Choose other days: shifts count by the day on which they start.</p>
            </Empty>
          ) : (
            <Figures statistics={statistics} />
          )
        }
      </QueryView>
    </>
  );
}

function Figures({ statistics }: { statistics: Statistics }) {
  const { weeks, organisations } = statistics;
  const charts = useMemo(() => chartsOf(statistics), [statistics]);
  const names = useNames();
  const organisation: Column<OrganisationFigures> = {
    name: "Organisation",
    cell: ({ providerId }) => {
      const name = names.integration(providerId)?.name;
      if (name === undefined) return <ShortId id={providerId} />;
      return <a href={`/console/integrations/${providerId}`}>{name}</a>;
    },
  };
  return (
    <div class="stack">
      {charts.map((chart) => (
        <ChartSection key={chart.title} chart={chart} weeks={weeks} />
      ))}
      <Section id="weeks" title="By week">
        <Table
          caption="Figures of each week, newest first"
          columns={[WEEK, ...COLUMNS]}
          rows={weeks.toReversed()}
          keyOf={({ week }) => week}
        />
      </Section>
      <Section id="organisations" title="By organisation">
        <Table
          caption="Figures of each organisation, most unfilled positions first"
          columns={[organisation, ...COLUMNS]}
          rows={organisations}
          keyOf={({ providerId }) => providerId}
        />
      </Section>
    </div>
  );
}

const WEEK: Column<WeekFigures> = { name: "Week of", cell: ({ week }) => shortDay(week) };

const count = (name: string, read: (figures: StaffingFigures) => number): Column<StaffingFigures> => ({
  name,
  isNumber: true,
  cell: (figures) => formatCount(read(figures)),
});

const COLUMNS: Column<StaffingFigures>[] = [
  count("Positions", ({ positions }) => positions),
  count("Filled", ({ filled }) => filled),
  { name: "Fill rate", isNumber: true, cell: fillText },
  { name: "Time to fill", isNumber: true, cell: timeText },
  count("Cancelled", ({ cancelled }) => cancelled),
  count("Withdrawn", ({ withdrawn }) => withdrawn),
  count("Late", ({ late }) => late),
];
