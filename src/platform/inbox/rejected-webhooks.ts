import { sql } from "kysely";
import { HOUR_MS } from "../../contract/timestamp.ts";
import type { ProblemError } from "../../runtime/problem.ts";
import type { Database, Log } from "../db/database.ts";
import { jsonRows } from "../db/fragments.ts";
import type { Deps } from "../deps.ts";
import { type Collector, createCollector } from "../metrics/figures.ts";

/** The organisation of webhooks whose token names none. */
export const NO_ORGANISATION = "00000000-0000-0000-0000-000000000000";

/** What a row may name: the name of any other field is the caller's, and may be personal. */
const POINTERS = ["/event", "/traceId", "/providerId", "/content", "/content/shiftId"];

interface Rejected {
  /** The path of the request. */
  url: string;
  /** The organisation of its token, if that is known. */
  owner: string | undefined;
}

export interface RejectedWebhooks extends Pick<Collector, "flush" | "close"> {
  /** Counts the problem that is the response to a webhook. Faults of the platform are no rejections. */
  note(error: ProblemError, request: Rejected): void;
}

interface Parts extends Pick<Deps, "newId" | "now"> {
  database: Pick<Database, "kysely">;
  log: Log;
}

/** Counts in memory, and writes every few seconds: however many webhooks are refused, a round writes one row for each cause. */
export function createRejectedWebhooks({ database, log, newId, now }: Parts): RejectedWebhooks {
  const write = async (counts: readonly [key: string, count: number][]) => {
    const lastAt = now().toISOString();
    const rows = counts.map(([key, count]) => {
      const [providerId, hour, code, pointer] = key.split(" ");
      return { rejectionId: newId(), providerId, hour, code, pointer, count, lastAt };
    });
    await sql`
      insert into rejected_webhooks (rejection_id, provider_id, hour, code, pointer, count, last_at)
      select "rejectionId", "providerId", hour, code, pointer, count, "lastAt" from ${jsonRows(rows)}
        as given ("rejectionId" uuid, "providerId" uuid, hour timestamptz, code text, pointer text, count bigint, "lastAt" timestamptz)
      on conflict (provider_id, hour, code, pointer) do update
        set count = rejected_webhooks.count + excluded.count, last_at = excluded.last_at`.execute(
      database.kysely,
    );
  };
  const { add, ...rest } = createCollector({ log, write });
  return {
    ...rest,
    note: ({ status, problem: { code, errors = [] } }, { url, owner = NO_ORGANISATION }) => {
      if (status >= 500 || !isWebhook(url)) return;
      const hour = new Date(Math.floor(now().getTime() / HOUR_MS) * HOUR_MS).toISOString();
      const pointer = POINTERS.find((each) => each === errors[0]?.pointer) ?? "";
      add([owner, hour, code, pointer].join(" "));
    },
  };
}

export const isWebhook = (url: string): boolean => url.startsWith("/api/v3/") || url.startsWith("/webhooks/");
