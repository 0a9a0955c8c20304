import { sql } from "kysely";
import type { StaffingFigures, Statistics } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { DAY_MS } from "../../contract/timestamp.ts";
import type { Database } from "../db/database.ts";

/** Of shifts by their start, both days included. */
export interface Period {
  from: string;
  until: string;
  providerId: string | undefined;
}

const WEEK_MS = 7 * DAY_MS;
/** Twelve weeks. */
const USUAL_DAYS = 84;
const MOST_DAYS = 3_660;

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** @throws problem `validation_failed` for a period that ends before it begins, or that is too long. */
export function periodOf(query: { from?: string; until?: string; providerId?: string }, now: Date): Period {
  const { until = dateOf(now.getTime()), providerId } = query;
  const { from = dateOf(Date.parse(until) - (USUAL_DAYS - 1) * DAY_MS) } = query;
  const days = (Date.parse(until) - Date.parse(from)) / DAY_MS + 1;
  const fault =
    days < 1 ? "must not be after `until`" : days > MOST_DAYS && `must be at most ${MOST_DAYS} days before`;
  if (fault) {
    const errors = [{ pointer: "#/query/from", message: fault }];
    throw problem("validation_failed", { detail: "The period cannot be used.", errors });
  }
  return { from, until, providerId };
}

interface Row extends Required<Omit<StaffingFigures, "timeToFillMinutes">> {
  week: string | null;
  providerId: string | null;
  timeToFillMinutes: number | null;
}

/** Figures of the whole period, of each week and of each organisation. */
export async function readStatistics(
  { kysely }: Pick<Database, "kysely">,
  period: Period,
): Promise<Statistics> {
  const { from, until } = period;
  const { rows } = await sql<Row>`
    with shown as not materialized (${shifts(period)}), facts as materialized (${ofJobs} union all ${ofBookings})
    select null as week, null::uuid as "providerId", ${SUMS} from facts
    union all select to_char(week, 'YYYY-MM-DD'), null::uuid, ${SUMS} from facts group by week
    union all select null, provider_id, ${SUMS} from facts group by provider_id`.execute(kysely);
  const byWeek = new Map(rows.map((row) => [row.week, row]));
  const unfilled = ({ positions, filled }: StaffingFigures) => positions - filled;
  return {
    from,
    until,
    total: figuresOf(rows.find(({ week, providerId }) => week === null && providerId === null)),
    weeks: weeksOf(period).map((week) => ({ week, ...figuresOf(byWeek.get(week)) })),
    organisations: rows
      .flatMap((row) => (row.providerId === null ? [] : [{ providerId: row.providerId, ...figuresOf(row) }]))
      .sort((one, other) => unfilled(other) - unfilled(one) || other.positions - one.positions),
  };
}

/** Of each grouping, because a distributed database has no grouping sets. */
const SUMS = sql`
  coalesce(sum(positions), 0)::int as positions, coalesce(sum(filled), 0)::int as filled,
  coalesce(sum(cancelled), 0)::int as cancelled, coalesce(sum(withdrawn), 0)::int as withdrawn, coalesce(sum(late), 0)::int as late,
  round(percentile_cont(0.5) within group (order by to_fill))::int as "timeToFillMinutes"`;

function figuresOf(row: Row | undefined): StaffingFigures {
  const { positions = 0, filled = 0, cancelled = 0, withdrawn = 0, late = 0, timeToFillMinutes } = row ?? {};
  const timeToFill = typeof timeToFillMinutes === "number" && { timeToFillMinutes };
  return { positions, filled, ...timeToFill, cancelled, withdrawn, late };
}

/** The Mondays of all weeks with a day in the period. */
function weeksOf({ from, until }: Period): string[] {
  const first = Date.parse(from);
  const monday = first - ((new Date(first).getUTCDay() + 6) % 7) * DAY_MS;
  const count = Math.floor((Date.parse(until) - monday) / WEEK_MS) + 1;
  return Array.from({ length: count }, (_, nth) => dateOf(monday + nth * WEEK_MS));
}

/** The margin for any time zone lets the index of start times find the shifts. */
const shifts = ({ from, until, providerId }: Period) => sql`
  select jobs.*, start_time - interval '24 hours' as late_from,
    date_trunc('week', start_time at time zone time_zone)::date as week
  from jobs join integrations using (provider_id)
  where start_time >= ${from}::date - interval '1 day' and start_time < ${until}::date + interval '2 days'
    and (start_time at time zone time_zone)::date between ${from}::date and ${until}::date
    and ${providerId === undefined ? sql`true` : sql`provider_id = ${providerId}`}`;

/** One row for each shift. An overfilled one counts as filled. */
const ofJobs = sql`
  select provider_id, week, positions_to_fill as positions, least(positions_to_fill, booked) as filled,
    (status = 'cancelled')::int as cancelled, withdrawn,
    (status = 'cancelled' and updated_at > late_from)::int + withdrawn_late + changed_late as late, null::float8 as to_fill
  from shown
    cross join lateral (
      select case when status = 'cancelled' then 0 else greatest(positions - own_people_count, 0) end as positions_to_fill) as needed
    cross join lateral (
      select count(*) filter (where bookings.status = 'confirmed') as booked,
        count(*) filter (where reason = 'withdrawn') as withdrawn,
        count(*) filter (where reason = 'withdrawn' and bookings.updated_at > late_from) as withdrawn_late
      from bookings where bookings.provider_id = shown.provider_id and bookings.job_id = shown.job_id) as people
    cross join lateral (
      select count(distinct change_key) as changed_late from notifications
      where notifications.provider_id = shown.provider_id and notifications.job_id = shown.job_id and kind = 'shift_changed'
        and notifications.created_at > late_from) as changes`;

/** One row for each booking that holds. */
const ofBookings = sql`
  select provider_id, week, 0, 0, 0, 0, 0, extract(epoch from bookings.created_at - shown.created_at)::float8 / 60
  from shown join bookings using (provider_id, job_id) where bookings.status = 'confirmed'`;
