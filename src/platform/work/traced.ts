import { type Kysely, sql } from "kysely";
import { IS_UNDELIVERED } from "../db/fragments.ts";
import type { Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { causedBy, inSpan, isTraced } from "../tracing.ts";
import type { Claim, Run } from "./rows.ts";

/** The run in a span that continues the trace of the webhook, the booking or the notification that it is about. */
export function traced({ database }: Pick<Deps, "database">, run: Run): Run {
  if (!isTraced()) return run;
  return async (claim, signal, exclude) => {
    const { kind, providerId, attempts } = claim;
    const { traceId, traceparent } = (await traceOf(database.kysely, claim)) ?? {};
    const about = {
      name: `run ${kind}`,
      kind: "internal" as const,
      ...(traceId !== undefined && { traceId }),
      attributes: { "shiftpact.provider_id": providerId, "shiftpact.attempts": attempts },
    };
    await inSpan(about, () => run(claim, signal, exclude), causedBy(traceparent));
  };
}

/** The trace that a run belongs to. */
export interface RunTrace {
  traceId: string;
  /** The W3C traceparent of the webhook, if it was traced. */
  traceparent: string | null;
}

/** Selects the trace of the oldest waiting event, booking, or notification; for a shift without one, the trace of its job. */
const TRACE_OF = {
  shift: ({ providerId, key }: Claim) => sql`
    select coalesce(
      (select trace_id from events where provider_id = ${providerId} and shift_id = ${key} and status = 'queued' order by event_id limit 1),
      (select trace_id from jobs where provider_id = ${providerId} and shift_id = ${key} order by job_id desc limit 1))`,
  person: ({ providerId, key }: Claim) => sql`
    select trace_id from bookings where provider_id = ${providerId} and candidate_id = ${key}
      and status = 'pending' order by booking_id limit 1`,
  mail: ({ providerId, key }: Claim) => sql`
    select trace_id from notifications where provider_id = ${providerId} and candidate_id = ${key}
      and ${IS_UNDELIVERED} order by notification_id limit 1`,
  registry: ({ providerId }: Claim) =>
    sql`select trace_id from registry_imports where provider_id = ${providerId}`,
} satisfies Partial<Record<Claim["kind"], (claim: Claim) => ReturnType<typeof sql>>>;

const isTraceable = (kind: Claim["kind"]): kind is keyof typeof TRACE_OF => kind in TRACE_OF;

/** Returns the trace of a claim; undefined for work without one, such as a probe, or with many, such as the webhook. */
export async function traceOf(kysely: Kysely<Schema>, claim: Claim): Promise<RunTrace | undefined> {
  const { kind, providerId } = claim;
  if (!isTraceable(kind)) return undefined;
  const { rows } = await sql<RunTrace>`
    select found.trace_id, (select traceparent from events
      where provider_id = ${providerId} and events.trace_id = found.trace_id and traceparent is not null
      order by event_id limit 1) as traceparent
    from (${TRACE_OF[kind](claim)}) as found (trace_id) where found.trace_id is not null`.execute(kysely);
  return rows[0];
}
