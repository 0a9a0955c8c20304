import { sql } from "kysely";
import { problem } from "../../contract/problem.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/news.ts";
import { type Trx, transact } from "../transaction.ts";
import { markDue, markShiftsDue, PRIORITY } from "../work/due.ts";
import { healthOf } from "./health.ts";
import { lockIntegration } from "./integration.ts";

/**
 * Activates an integration whose outlets and roles are all mapped (contract section 1, "Entity mapping before activation"), or a
 * suspended one: that lacks nothing, because a job whose outlet or role is new waits for its mapping anyway.
 * @throws ProblemError provider_not_found, not_ready with what is missing in `errors`.
 */
export async function activate(deps: Deps, providerId: string): Promise<Integration> {
  return transact(deps, async (trx) => {
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
    await goOn(trx, deps, active);
    return active;
  });
}

/** What waited goes on, and jobs that were not offered while the integration was suspended are offered now. */
async function goOn(trx: Trx, deps: Deps, active: Integration): Promise<void> {
  const { provider_id: providerId, state } = active;
  const waiting = sql`
    select provider_id, shift_id from events where provider_id = ${providerId} and status in ('queued', 'dead')
    union all select provider_id, shift_id from jobs
    where provider_id = ${providerId} and status in ('blocked_mapping', 'open', 'filled')`;
  await markShiftsDue(trx, deps, waiting, PRIORITY.event);
  if (deps.checkProvider)
    await markDue(trx, deps, [{ providerId, kind: "check", key: "", priority: PRIORITY.event }]);
  publish(trx, { type: "integration", providerId, state, health: healthOf(active).code });
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
