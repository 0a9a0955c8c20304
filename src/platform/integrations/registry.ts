import type { RegistryImport } from "../../../generated/operations/types.ts";
import { type Failure, failedCall } from "../../clients/provider/answer.ts";
import { ProviderHttpError } from "../../clients/provider/http-error.ts";
import { LONGEST_REGISTRY } from "../../clients/provider/limits.ts";
import { routingAttemptsText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { countUnreleased } from "../candidates/sources.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream.ts";
import { answerFetch } from "../threads/provider-fetch.ts";
import { recordSteps, transact } from "../transaction.ts";
import { workerFile } from "../worker-file.ts";
import { lockUnchangedIntegration } from "./integration.ts";
import { importPeople } from "./registry-people.ts";
import type { RegistryEnd, RegistryOrder, RegistryPart } from "./registry-reading.ts";
import { attemptOf } from "./routing.ts";

export const REGISTRY_WORKER = workerFile(new URL("./registry-worker.ts", import.meta.url));

const TOO_LONG = `The provider sent a page of the registry that is longer than ${LONGEST_REGISTRY / 1_000_000} MB: ask its operators to offer the registry in pages.`;

/** What is known of an import while it runs. */
interface Progress {
  traceId: string;
  counts: Omit<RegistryImport, "faults" | "unreleased">;
}

/**
 * Imports the provider's candidate registry (contract 2.5), page by page, read in a thread of its own. Each part has its transaction: an
 * import that breaks off keeps what it has, and running it again is safe. A person who is in the registry twice counts once.
 * @throws ProblemError registry_absent; registry_too_long or provider_unavailable, after which the parts before it stay imported.
 */
export async function importRegistry(deps: Deps, integration: Integration): Promise<RegistryImport> {
  const traceId = deps.newTraceId();
  deps.audit?.note({ subjects: { traceId } });
  const counts = { imported: 0, updated: 0, skipped: 0, invalid: 0 };
  const { pages, faults, failure } = await readInThread(deps, integration, { traceId, counts });
  if (failure?.kind === "absent" && pages === 0)
    throw problem("registry_absent", { detail: "The provider does not offer its registry." });
  if (failure?.kind === "absent")
    throw notRead(integration, { kind: "refused", status: 404, code: undefined }, pages);
  if (failure?.kind === "unavailable" && failure.failure === "response_too_long")
    throw problem("registry_too_long", { detail: TOO_LONG });
  if (failure) throw notRead(integration, failure, pages);
  deps.log.info({ providerId: integration.provider_id, ...counts }, "the registry was imported");
  const unreleased = await countUnreleased(deps.database.kysely, integration.provider_id);
  return { ...counts, unreleased, faults };
}

async function readInThread(deps: Deps, integration: Integration, progress: Progress): Promise<RegistryEnd> {
  const { provider_id: providerId, base_url: baseUrl, routing, provider_token } = integration;
  const order: RegistryOrder = {
    target: { providerId, baseUrl, routing, token: deps.vault.open(provider_token) },
    traceId: progress.traceId,
    waitsMs: deps.timing.onboardingRetriesMs,
  };
  const fetch = answerFetch(deps.fetchFor(integration));
  const store = (part: RegistryPart) => importPart(deps, integration, progress, part);
  try {
    return await deps.registryThreads.run<RegistryEnd>(order, { fetch, store });
  } catch (error) {
    if (error instanceof ProviderHttpError) throw notRead(integration, failedCall(error));
    throw error;
  }
}

function notRead(integration: Integration, failure: Failure, pages?: number) {
  const why = routingAttemptsText([attemptOf(integration, "/candidates/registry", failure)]);
  const what = pages === undefined ? "The registry" : `Page ${pages + 1} of the registry`;
  const rest = pages === 0 ? "" : " What comes before it is imported; running the import again is safe.";
  return problem("provider_unavailable", { detail: `${what} could not be read: ${why}.${rest}` });
}

/** One transaction; if it fails, the import ends. */
async function importPart(
  deps: Deps,
  integration: Integration,
  { counts, traceId }: Progress,
  { people, invalid, ...places }: RegistryPart,
): Promise<Record<string, never>> {
  const { provider_id: providerId } = integration;
  await transact(deps, async (trx) => {
    await lockUnchangedIntegration(trx, integration);
    const done = { ...(await importPeople(trx, deps, providerId, people)), invalid };
    for (const count of ["imported", "updated", "skipped", "invalid"] as const) counts[count] += done[count];
    const params = { ...places, ...done };
    recordSteps(trx, [{ traceId, step: "registry", code: "registry_imported", params, providerId }]);
    publish(trx, { type: "import", providerId, traceId, entries: places.last, ...counts });
  });
  return {};
}
