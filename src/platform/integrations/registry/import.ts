import { type Kysely, sql } from "kysely";
import type { RegistryImport, RegistryImportStatus } from "../../../../generated/operations/types.ts";
import { catalogue, problem } from "../../../contract/problem.ts";
import { countUnreleased } from "../../candidates/sources.ts";
import { view } from "../../db/names.ts";
import type { RegistryImportRow, Schema } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { transact } from "../../transaction.ts";
import { markDue, PRIORITY } from "../../work/rows.ts";
import { lockIntegration, requireIntegration } from "../integration.ts";

/** The signal that an import has ended. */
export const importTopic = (providerId: string) => `registry import ${providerId.toLowerCase()}`;

/**
 * Makes the import of a registry due, unless one runs already: then the caller joins it.
 * @throws ProblemError provider_not_found, also while the integration is being deleted
 */
export async function requestImport(deps: Deps, id: string): Promise<void> {
  await transact(deps, async (trx) => {
    const { providerId, deletionRequestedAt } = await lockIntegration(trx, id);
    if (deletionRequestedAt !== null) throw gone();
    await sql`
      insert into registry_imports (provider_id, trace_id, started_at)
      values (${providerId}, ${deps.newTraceId()}, ${deps.now()})
      on conflict (provider_id) do update set trace_id = excluded.trace_id, started_at = excluded.started_at, ended_at = null,
        expected = case when registry_imports.failure is null then registry_imports.entries else registry_imports.expected end,
        failure = null, entries = 0, imported = 0, updated = 0, skipped = 0, invalid = 0, faults = '[]'
      where registry_imports.ended_at is not null`.execute(trx);
    const traceId = (await findImport(trx, providerId))?.traceId;
    if (traceId !== undefined) deps.audit?.note({ subjects: { traceId } });
    markDue(trx, deps, [{ providerId, kind: "registry", key: "", priority: PRIORITY.interactive }]);
  });
}

/** Returns the import of an organisation that runs, or its last one. */
export function findImport(db: Kysely<Schema>, providerId: string): Promise<RegistryImportRow | undefined> {
  return db.selectFrom("registryImports").selectAll().where("providerId", "=", providerId).executeTakeFirst();
}

/** The longest time until a caller notices an end whose signal was lost. Milliseconds. */
const READ_EVERY_MS = 5_000;

/**
 * Waits until no import runs, and returns the result of the last one.
 * @throws ProblemError registry_absent, registry_too_long, integration_changed, provider_unavailable; provider_not_found once it is deleted
 */
export async function awaitImport(
  { database: { kysely }, signals }: Pick<Deps, "database" | "signals">,
  providerId: string,
): Promise<RegistryImport> {
  for (;;) {
    const { signal, cancel } = signals.next(importTopic(providerId), READ_EVERY_MS);
    const row = await findImport(kysely, providerId).catch((error) => {
      cancel();
      throw error;
    });
    if (row && row.endedAt === null) {
      await signal;
      continue;
    }
    cancel();
    if (!row) throw gone();
    if (row.failure) throw problem(row.failure.code, { detail: row.failure.detail });
    const { imported, updated, skipped, invalid, faults } = row;
    const unreleased = await countUnreleased(kysely, providerId);
    return { imported, updated, skipped, invalid, unreleased, faults };
  }
}

const gone = () =>
  problem("provider_not_found", { detail: "The integration is deleted with everything that belongs to it." });

const NEVER = { entries: 0, imported: 0, updated: 0, skipped: 0, invalid: 0, faults: [] };

/** @throws ProblemError provider_not_found */
export async function readImport(kysely: Kysely<Schema>, id: string): Promise<RegistryImportStatus> {
  const { providerId } = await requireIntegration(kysely, id);
  const row = await findImport(kysely, providerId);
  const unreleased = await countUnreleased(kysely, providerId);
  if (!row) return { state: "none", ...NEVER, unreleased };
  const { failure, ...rest } = row;
  return {
    state: stateOf(row),
    ...view(rest, ["traceId", "startedAt", "endedAt", "expected", "entries"]),
    ...view(rest, ["imported", "updated", "skipped", "invalid", "faults"]),
    unreleased,
    ...(failure && { failure: { ...failure, title: catalogue[failure.code].title } }),
  };
}

function stateOf({ endedAt, failure }: RegistryImportRow): RegistryImportStatus["state"] {
  if (endedAt === null) return "running";
  return failure === null ? "done" : "failed";
}
