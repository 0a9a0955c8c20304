import { sql } from "kysely";
import { burstOfMinute, type RateLimits, type SharedStarts, shareOf } from "../../clients/provider/rate.ts";
import type { Database, Log } from "../db/database.ts";
import { milliseconds } from "../db/fragments.ts";

/** So many calls may start at once, and further ones `apartMs` apart. */
interface Bucket {
  burst: number;
  apartMs: number;
}

/** At most `perSecond` in any second: the burst, and what comes in the rest of it. */
function secondBucket({ perSecond }: RateLimits, isInteractive: boolean): Bucket {
  const burst = Math.floor(perSecond / 4) + 1;
  return { burst: shareOf(burst, isInteractive), apartMs: 1_000 / (perSecond - burst + 1) };
}

function minuteBucket(limits: RateLimits, isInteractive: boolean): Bucket {
  const burst = burstOfMinute(limits);
  const apartMs = 60_000 / Math.max(1, limits.perMinute - burst);
  return { burst: shareOf(burst, isInteractive), apartMs };
}

interface Reserved {
  count: number;
  /** From now until the first start, as each line has it. Milliseconds. */
  secondMs: number;
  minuteMs: number;
  silentMs: number;
}

/** The calls of all processes to one provider, in the order in which they are reserved: each reservation is one statement. */
export function sharedStarts(
  { kysely }: Pick<Database, "kysely">,
  log: Log,
  providerId: string,
  isShared: () => boolean,
): SharedStarts {
  return {
    isShared,
    reserve: async (count, limits, isInteractive) => {
      const [second, minute] = [secondBucket(limits, isInteractive), minuteBucket(limits, isInteractive)];
      const lines = { second, minute, waitMs: limits.waitMs };
      let reserved = await reserveStarts(kysely, providerId, count, lines);
      if (!reserved) {
        await addRow(kysely, providerId);
        reserved = await reserveStarts(kysely, providerId, count, lines);
      }
      if (!reserved) return [];
      const { secondMs, minuteMs, silentMs } = reserved;
      return Array.from({ length: reserved.count }, (_, nth) =>
        Math.max(
          0,
          silentMs,
          secondMs + (nth - second.burst + 1) * second.apartMs,
          minuteMs + (nth - minute.burst + 1) * minute.apartMs,
        ),
      );
    },
    silence: (ms) => {
      sql`
        update call_rates set silent_until = greatest(silent_until, asked.until)
        from (select clock_timestamp() + ${milliseconds(ms)} as until) as asked
        where provider_id = ${providerId}`
        .execute(kysely)
        .catch((error) =>
          log.warn({ err: error, providerId }, "other processes may call a provider that asked for silence"),
        );
    },
  };
}

/** Undefined when the first start would be too late, or there is no row yet. */
async function reserveStarts(
  kysely: Database["kysely"],
  providerId: string,
  count: number,
  { second, minute, waitMs }: { second: Bucket; minute: Bucket; waitMs: number },
): Promise<Reserved | undefined> {
  const msUntil = (column: string) => sql`extract(epoch from ${sql.ref(column)} - at) * 1000`;
  const fitting = (column: string, { burst, apartMs }: Bucket) =>
    sql`floor((${waitMs}::float8 - ${msUntil(column)}) / ${apartMs}::float8 + ${burst}::float8)`;
  const { rows } = await sql<Reserved>`
    with line as (
      select greatest(second_until, at) as second_from, greatest(minute_until, at) as minute_from,
        greatest(silent_until, at) as silent_from, at
      from (select *, clock_timestamp() as at from call_rates where provider_id = ${providerId} for update) as rates),
    fitting as (
      select *, least(${count}::float8, ${fitting("second_from", second)}, ${fitting("minute_from", minute)},
        case when ${msUntil("silent_from")} > ${waitMs}::float8 then 0 else ${count}::float8 end)::int as count
      from line),
    fit as (
      select *, second_from + count * ${milliseconds(second.apartMs)} as second_to, minute_from + count * ${milliseconds(minute.apartMs)} as minute_to
      from fitting)
    update call_rates set second_until = second_to, minute_until = minute_to
    from fit where provider_id = ${providerId} and count > 0
    returning count, ${msUntil("second_from")}::float8 as "secondMs", ${msUntil("minute_from")}::float8 as "minuteMs",
      ${msUntil("silent_from")}::float8 as "silentMs"`.execute(kysely);
  return rows[0];
}

async function addRow(kysely: Database["kysely"], providerId: string): Promise<void> {
  const row = kysely.insertInto("call_rates").values({ provider_id: providerId });
  await row.onConflict((conflict) => conflict.doNothing()).execute();
}
