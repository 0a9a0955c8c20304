import { problem } from "../../contract/problem.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { lockJob, refreshJob } from "../jobs/job.ts";
import type { Trx } from "../queue/task.ts";
import { enqueueVerification } from "../verification/queue.ts";
import { lockIntegration } from "./integration.ts";

/**
 * Activates an integration whose outlets and roles are all mapped (contract section 1, "Entity mapping before activation"), or a
 * suspended one: that lacks nothing, because a job whose outlet or role is new waits for its mapping anyway.
 * @throws ProblemError provider_not_found, not_ready with what is missing in `errors`.
 */
export async function activate(deps: Deps, providerId: string): Promise<Integration> {
  return deps.database.kysely.transaction().execute(async (trx) => {
    const { state, ...integration } = await lockIntegration(trx, providerId);
    if (state === "active") return { ...integration, state };
    const errors = state === "draft" ? await whatIsMissing(trx, providerId) : [];
    if (errors.length > 0)
      throw problem("not_ready", { detail: "Map what `errors` lists, then activate again.", errors });
    const active = await trx
      .updateTable("integrations")
      .set({ state: "active", updated_at: deps.now() })
      .where("provider_id", "=", providerId)
      .returningAll()
      .executeTakeFirstOrThrow();
    await offerAgain(trx, deps, providerId);
    await enqueueVerification(trx, deps, providerId);
    return active;
  });
}

/** Nothing was offered while the integration was suspended. Who knows of a job already is not told twice. */
async function offerAgain(trx: Trx, deps: Deps, providerId: string): Promise<void> {
  const open = await trx
    .selectFrom("jobs")
    .select("job_id")
    .where("provider_id", "=", providerId)
    .where("status", "=", "open")
    .orderBy("job_id")
    .execute();
  for (const { job_id } of open) {
    const job = await lockJob(trx, job_id);
    if (job) await refreshJob(trx, deps, job);
  }
}

async function whatIsMissing(trx: Trx, providerId: string) {
  const outlets = await trx.selectFrom("outlets").selectAll().where("provider_id", "=", providerId).execute();
  const roles = await trx.selectFrom("roles").selectAll().where("provider_id", "=", providerId).execute();
  return [
    ...(outlets.length === 0 ? [{ pointer: "/outlets", message: "none is known: discover them first" }] : []),
    ...(roles.length === 0 ? [{ pointer: "/roles", message: "none is known: discover them first" }] : []),
    ...outlets
      .filter(({ workplace_id }) => workplace_id === null)
      .map(({ outlet_id, name }) => ({
        pointer: `/outlets/${pointerPart(outlet_id)}`,
        message: `${name} is not mapped`,
      })),
    ...roles
      .filter(({ competence_id }) => competence_id === null)
      .map(({ role_id, name }) => ({
        pointer: `/roles/${pointerPart(role_id)}`,
        message: `${name} is not mapped`,
      })),
  ];
}

const pointerPart = (id: string) => id.replaceAll("~", "~0").replaceAll("/", "~1");
