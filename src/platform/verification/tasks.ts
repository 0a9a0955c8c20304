import type { Integration } from "../db/schema.ts";
import type { Deps, ProviderFinding } from "../deps.ts";
import { findIntegration } from "../integrations/integration.ts";
import type { TaskEnd, TaskKind, Trx } from "../queue/task.ts";
import { noteCouldNotCheck, noteFindings } from "./findings.ts";
import { VERIFICATIONS_QUEUE, type VerificationTask } from "./queue.ts";
import { shiftToRead } from "./shift-to-read.ts";

/**
 * Checks of providers; a task each, so that a slow provider holds nobody up and a crash loses none.
 * @param stopping a check takes half a minute: the platform's stop does not wait for it
 */
export function verificationTasks(deps: Deps, stopping: AbortSignal): TaskKind<VerificationTask> {
  return {
    name: VERIFICATIONS_QUEUE,
    concurrency: 2,
    work: async ({ data: { providerId } }, signal) => {
      const integration = await findIntegration(deps.database.kysely, providerId);
      if (!integration || !deps.checkProvider) return { end: "done" };
      return verify(deps, integration, AbortSignal.any([signal, stopping]));
    },
    dead: ({ data: { providerId } }, reason, trx) => noteCouldNotCheck(trx, deps, providerId, reason),
  };
}

async function verify(deps: Deps, integration: Integration, signal: AbortSignal): Promise<TaskEnd> {
  const providerId = integration.provider_id;
  const check = checkOf(deps, integration, signal).then(
    (findings) => (trx: Trx) => noteFindings(trx, deps, providerId, findings),
    (error: unknown) => (trx: Trx) => noteCouldNotCheck(trx, deps, providerId, messageOf(error)),
  );
  const write = await Promise.race([check, aborted(signal)]);
  // What was broken off says nothing of the provider.
  if (!write || signal.aborted) return { end: "retry", reason: "the platform stops", countsAsTry: false };
  return { end: "done", write };
}

async function checkOf(
  deps: Deps,
  integration: Integration,
  signal: AbortSignal,
): Promise<ProviderFinding[]> {
  const shiftId = await shiftToRead(deps, integration, signal);
  return (await deps.checkProvider?.(integration, { shiftId, signal })) ?? [];
}

function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : "for no known reason");
