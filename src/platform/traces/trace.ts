import { sql } from "kysely";
import type { Trx } from "../queue/task.ts";

/** The stations of a story. `webhook` is read from the event itself. */
export type StepName =
  | "fetch"
  | "job"
  | "match"
  | "notification"
  | "booking"
  | "candidate"
  | "assign"
  | "unassign"
  | "cancel"
  | "change"
  | "event"
  | "registry";

export interface Step {
  traceId: string;
  step: StepName;
  /** What came of it, for a person: `skipped: echo of our DELETE`. Never holds personal data. */
  verdict: string;
  /** Milliseconds. */
  durationMs?: number;
  providerId?: string;
  shiftId?: string;
  jobId?: string;
  detail?: Record<string, unknown>;
}

/** What the transactions that gather have recorded so far. */
const gathered = new WeakMap<Trx, Step[]>();

/** Runs `write`, and then writes all steps that it recorded with this transaction, in their order, in one statement. */
export async function gatherSteps(trx: Trx, write: () => Promise<void>): Promise<void> {
  gathered.set(trx, []);
  await write();
  const steps = gathered.get(trx) ?? [];
  gathered.delete(trx);
  await writeSteps(trx, steps);
}

/** Writes steps of a story, in the transaction that made them true. */
export async function recordSteps(trx: Trx, steps: readonly Step[]): Promise<void> {
  const others = gathered.get(trx);
  if (others) others.push(...steps);
  else await writeSteps(trx, steps);
}

/** The story is not worth telling. */
export async function forgetSteps(trx: Trx, traceId: string): Promise<void> {
  const others = gathered.get(trx)?.filter((step) => step.traceId !== traceId);
  if (others) gathered.set(trx, others);
  await trx.deleteFrom("trace_steps").where("trace_id", "=", traceId).execute();
}

/** One parameter holds all: there may be more steps than a statement has parameters. */
async function writeSteps(trx: Trx, steps: readonly Step[]): Promise<void> {
  if (steps.length === 0) return;
  const rows = steps.map(({ detail = {}, ...step }) => ({ ...step, detail }));
  await sql`
    insert into trace_steps (trace_id, step, verdict, duration_ms, provider_id, shift_id, job_id, detail)
    select "traceId", step, verdict, "durationMs", "providerId", "shiftId", "jobId", detail
    from json_to_recordset(${JSON.stringify(rows)}::text::json) as recorded ("traceId" text, step text, verdict text,
      "durationMs" float8, "providerId" uuid, "shiftId" text, "jobId" uuid, detail jsonb)`.execute(trx);
}
