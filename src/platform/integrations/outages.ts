import type { Deps } from "../deps.ts";
import { raiseIssue } from "../issues/issues.ts";

const CODE = "provider_down";
const SUBJECT = "calls";

/** A process that finds a provider down says so again at each probe, a minute and a time limit apart at most. Milliseconds. */
const RENEWED_WITHIN_MS = 120_000;

/**
 * Tells the operators that a provider is not called for now, and settles it once it is called again. What another process may have
 * found stands for as long as it is renewed. Never rejects.
 */
export async function noteCircuit(
  deps: Deps,
  providerId: string,
  state: "open" | "closed",
  processes = 1,
): Promise<void> {
  const { database, log, now } = deps;
  if (state === "open") log.warn({ providerId }, "a provider is not called for a while");
  try {
    await database.kysely.transaction().execute(async (trx) => {
      if (state === "open") {
        const detail =
          "Its last calls had no answer; it is called again from time to time, and everything waits.";
        return raiseIssue(trx, deps, { code: CODE, providerId, subject: SUBJECT, detail });
      }
      const { numUpdatedRows } = await trx
        .updateTable("issues")
        .set({ resolved_at: now() })
        .where("provider_id", "=", providerId)
        .where("code", "=", CODE)
        .where("subject", "=", SUBJECT)
        .where("resolved_at", "is", null)
        .$if(processes > 1, (issue) =>
          issue.where("last_at", "<", new Date(now().getTime() - RENEWED_WITHIN_MS)),
        )
        .executeTakeFirst();
      if (numUpdatedRows > 0n) log.info({ providerId }, "a provider is called again");
    });
  } catch (error) {
    log.warn({ err: error, providerId }, "could not record the state of a circuit");
  }
}
