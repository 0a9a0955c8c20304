import { type Expression, type Kysely, sql } from "kysely";
import type { Handlers } from "../../../../generated/operations/server.ts";
import type { Competence, Workplace } from "../../../../generated/operations/types.ts";
import { problem } from "../../../contract/problem.ts";
import { changesOf } from "../../access/audit.ts";
import type { Schema } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { OUTLETS, ROLES, readMappedTo } from "../../integrations/mapped-lists.ts";
import { transact } from "../../transaction.ts";
import { created, ok } from "../handlers.ts";
import { contains, page } from "../page.ts";

const WORKPLACE = ["workplaceId", "name", "address"] as const;
const COMPETENCE = ["competenceId", "name"] as const;

/** Workplaces and competences, with the outlets and roles that are mapped to them. */
export function catalogueHandlers(deps: Deps) {
  const { newId, now } = deps;
  const { kysely } = deps.database;
  return {
    createWorkplace: async ({ body: { address = null, ...body } }) => {
      const name = body.name.normalize("NFC");
      const workplaceId = newId();
      const row = { workplaceId, name, address };
      await transact(deps, async (trx) => {
        deps.audit?.note({ subjects: { workplaceId }, changes: changesOf({}, { name, address }) });
        await trx
          .insertInto("workplaces")
          .values({ ...row, createdAt: now() })
          .execute();
      });
      return created({ workplaceId, name, address, outletCount: 0, outlets: [] });
    },
    listWorkplaces: async ({ query }) => {
      const all = kysely.selectFrom("workplaces").select(WORKPLACE).where(named(query));
      const { items, ...rest } = await page(all, query, { id: "workplaceId" }, (row) => row);
      return ok({ items: await viewsOfWorkplaces(kysely, items), ...rest });
    },
    changeWorkplace: async ({ path: { workplaceId }, body: { name, address } }) => {
      const view = await transact(deps, async (trx) => {
        const set = {
          ...(name !== undefined && { name: name.normalize("NFC") }),
          ...(address !== undefined && { address }),
        };
        const before = await trx
          .selectFrom("workplaces")
          .select(["name", "address"])
          .where("workplaceId", "=", workplaceId)
          .forUpdate()
          .executeTakeFirstOrThrow(() =>
            problem("workplace_not_found", { detail: "There is no workplace with this workplaceId." }),
          );
        deps.audit?.note({ changes: changesOf(before, set) });
        await trx.updateTable("workplaces").set(set).where("workplaceId", "=", workplaceId).execute();
        return viewsOfWorkplaces(trx, [{ workplaceId, ...before, ...set }]);
      });
      return ok(view[0] as Workplace);
    },
    createCompetence: async ({ body }) => {
      const name = body.name.normalize("NFC");
      const competenceId = newId();
      const row = { competenceId, name, createdAt: now() };
      await transact(deps, async (trx) => {
        deps.audit?.note({ subjects: { competenceId }, changes: changesOf({}, { name }) });
        await trx.insertInto("competences").values(row).execute();
      });
      return created({ competenceId, name, roleCount: 0, roles: [] });
    },
    listCompetences: async ({ query }) => {
      const all = kysely.selectFrom("competences").select(COMPETENCE).where(named(query));
      const { items, ...rest } = await page(all, query, { id: "competenceId" }, (row) => row);
      return ok({ items: await viewsOfCompetences(kysely, items), ...rest });
    },
    changeCompetence: async ({ path: { competenceId }, body }) => {
      const name = body.name.normalize("NFC");
      const view = await transact(deps, async (trx) => {
        const before = await trx
          .selectFrom("competences")
          .select("name")
          .where("competenceId", "=", competenceId)
          .forUpdate()
          .executeTakeFirstOrThrow(() =>
            problem("competence_not_found", { detail: "There is no competence with this competenceId." }),
          );
        deps.audit?.note({ changes: changesOf(before, { name }) });
        await trx.updateTable("competences").set({ name }).where("competenceId", "=", competenceId).execute();
        return viewsOfCompetences(trx, [{ competenceId, name }]);
      });
      return ok(view[0] as Competence);
    },
  } satisfies Partial<Handlers<undefined>>;
}

const named = ({ search }: { search?: string }): Expression<boolean> => contains(sql.ref("name"), search);

async function viewsOfWorkplaces(
  db: Kysely<Schema>,
  rows: readonly { workplaceId: string; name: string; address: string | null }[],
): Promise<Workplace[]> {
  const mapped = await readMappedTo(
    db,
    OUTLETS,
    rows.map(({ workplaceId }) => workplaceId),
  );
  return rows.map(({ workplaceId, name, address }) => {
    const { count = 0, first = [] } = mapped.get(workplaceId) ?? {};
    const outlets = first.map(({ id, ...outlet }) => ({ ...outlet, outletId: id }));
    return { workplaceId, name, address, outletCount: count, outlets };
  });
}

async function viewsOfCompetences(
  db: Kysely<Schema>,
  rows: readonly { competenceId: string; name: string }[],
): Promise<Competence[]> {
  const mapped = await readMappedTo(
    db,
    ROLES,
    rows.map(({ competenceId }) => competenceId),
  );
  return rows.map(({ competenceId, name }) => {
    const { count = 0, first = [] } = mapped.get(competenceId) ?? {};
    const roles = first.map(({ id, ...role }) => ({ ...role, roleId: id }));
    return { competenceId, name, roleCount: count, roles };
  });
}
