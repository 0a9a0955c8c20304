import { sql } from "kysely";
import type { Deps } from "../deps.ts";
import type { Trx } from "../transaction.ts";
import { markDue, PRIORITY } from "../work/due.ts";

/** Has the person looked up at the provider, and created if missing. `forget`: the provider does not know the id any more that is stored. */
export async function wantPerson(
  trx: Trx,
  deps: Pick<Deps, "wakeWorker">,
  { providerId, candidateId, forget }: { providerId: string; candidateId: string; forget: boolean },
): Promise<void> {
  await sql`
    insert into provider_candidates (provider_id, candidate_id) values (${providerId}, ${candidateId})
    on conflict (provider_id, candidate_id) do update
      set provider_candidate_id = null, trouble = '{"kind": "forgotten"}' where ${forget}::boolean`.execute(
    trx,
  );
  const due = { providerId, kind: "person", key: candidateId, priority: PRIORITY.interactive } as const;
  await markDue(trx, deps, [due]);
}
