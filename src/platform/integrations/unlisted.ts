import type { Kysely } from "kysely";
import type { Schema } from "../db/schema.ts";
import type { Trx } from "../transaction.ts";

type Db = Kysely<Schema>;

/** Outlets and roles that a provider listed once, or named in a shift. What nobody mapped may be forgotten, because a shift brings it back. */
export async function unmappedOutlets(db: Db, providerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("outlets")
    .select("outlet_id")
    .where("provider_id", "=", providerId)
    .where("workplace_id", "is", null)
    .execute();
  return rows.map(({ outlet_id }) => outlet_id);
}

export async function unmappedRoles(db: Db, providerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("roles")
    .select("role_id")
    .where("provider_id", "=", providerId)
    .where("competence_id", "is", null)
    .execute();
  return rows.map(({ role_id }) => role_id);
}

/** Unless somebody mapped it meanwhile, or a job that is not over is there. */
export async function forgetOutlet(trx: Trx, providerId: string, outletId: string): Promise<void> {
  const outlet = trx
    .selectFrom("outlets")
    .select("outlet_id")
    .where("provider_id", "=", providerId)
    .where("outlet_id", "=", outletId);
  // A statement of its own: the next one then sees the job of whoever held the row.
  await outlet.forUpdate().execute();
  await trx
    .deleteFrom("outlets")
    .where("provider_id", "=", providerId)
    .where("outlet_id", "=", outletId)
    .where("workplace_id", "is", null)
    .where(({ exists, not }) => not(exists(openJobs(trx, providerId).where("outlet_id", "=", outletId))))
    .execute();
}

/** Unless somebody mapped it meanwhile, or a job that is not over asks for it. */
export async function forgetRole(trx: Trx, providerId: string, roleId: string): Promise<void> {
  const role = trx
    .selectFrom("roles")
    .select("role_id")
    .where("provider_id", "=", providerId)
    .where("role_id", "=", roleId);
  await role.forUpdate().execute();
  await trx
    .deleteFrom("roles")
    .where("provider_id", "=", providerId)
    .where("role_id", "=", roleId)
    .where("competence_id", "is", null)
    .where(({ exists, not }) => not(exists(openJobs(trx, providerId).where("role_id", "=", roleId))))
    .execute();
}

const openJobs = (trx: Trx, providerId: string) =>
  trx
    .selectFrom("jobs")
    .select("job_id")
    .where("provider_id", "=", providerId)
    .where("status", "in", ["blocked_mapping", "open", "filled"]);
