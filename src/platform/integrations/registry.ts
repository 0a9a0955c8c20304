import type { RegistryFault, RegistryImport } from "../../../generated/operations/types.ts";
import type { Failure } from "../../clients/provider/answer.ts";
import type { RegistryPage } from "../../clients/provider/registry-page.ts";
import { routingAttemptsText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/stream.ts";
import { recordSteps, transact } from "../transaction.ts";
import { lockUnchangedIntegration } from "./integration.ts";
import { importPeople } from "./registry-people.ts";
import { readPeople } from "./registry-person.ts";
import { readWithRetries } from "./retried-read.ts";
import { attemptOf } from "./routing.ts";

const PAGE = 200;
const MOST_PAGES = 1_000;
const MOST_FAULTS = 100;

/** What is known of an import while it runs. */
interface Progress {
  traceId: string;
  /** Pages that were read. */
  pages: number;
  /** Entries that were read. */
  entries: number;
  /** Personal numbers that were in the registry already. */
  seen: Set<string>;
  counts: Omit<RegistryImport, "faults">;
  faults: RegistryFault[];
}

/**
 * Imports the provider's candidate registry (contract 2.5), page by page. Each page has its transaction: an import that breaks off
 * keeps what it has, and running it again is safe. A person who is in the registry twice counts once.
 * @throws ProblemError registry_absent; provider_unavailable, after which the pages before it stay imported.
 */
export async function importRegistry(deps: Deps, integration: Integration): Promise<RegistryImport> {
  const traceId = deps.newTraceId();
  deps.audit?.note({ subjects: { traceId } });
  const counts = { imported: 0, updated: 0, skipped: 0, invalid: 0 };
  const progress: Progress = { traceId, pages: 0, entries: 0, seen: new Set(), counts, faults: [] };
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await readPage(deps, integration, progress, cursor);
    progress.pages += 1;
    // A provider that ignores the limit must not hold the embedded database's only connection for seconds.
    for (let start = 0; start < page.candidates.length; start += PAGE) {
      await importEntries(deps, integration, progress, page.candidates.slice(start, start + PAGE));
    }
    cursor = page.nextCursor;
    const trouble = cursor !== undefined && whyToStop(cursor, cursors, progress);
    if (trouble) {
      progress.faults.push({ entry: progress.entries, reason: trouble });
      break;
    }
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
  deps.log.info({ providerId: integration.provider_id, ...counts }, "the registry was imported");
  return { ...counts, faults: progress.faults.slice(0, MOST_FAULTS) };
}

/** A provider that gives cursors and then ignores them would be read endlessly. */
function whyToStop(cursor: string, before: Set<string>, { pages }: Progress): string | undefined {
  if (!cursor.isWellFormed())
    return "the import stopped after it: the provider gave a cursor that cannot be sent";
  if (before.has(cursor))
    return "the import stopped after it: the provider gave a cursor for the second time";
  if (pages >= MOST_PAGES) return `the import stopped after it: there are more than ${MOST_PAGES} pages`;
  return undefined;
}

async function readPage(
  deps: Deps,
  integration: Integration,
  { traceId, pages }: Progress,
  cursor: string | undefined,
): Promise<RegistryPage> {
  const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
  const client = deps.clientFor(integration, false);
  const waiting = { waitsMs: deps.timing.onboardingRetriesMs };
  const answer = await readWithRetries(() => client.readRegistry(query, { traceId }), waiting);
  if (answer.kind === "page") return answer.page;
  if (answer.kind !== "absent") throw notRead(integration, answer, pages);
  if (pages === 0) throw problem("registry_absent", { detail: "The provider does not offer its registry." });
  throw notRead(integration, { kind: "refused", status: 404, code: undefined }, pages);
}

function notRead(integration: Integration, failure: Failure, pages: number) {
  const why = routingAttemptsText([attemptOf(integration, "/candidates/registry", failure)]);
  const rest = pages > 0 ? " The pages before it are imported; running the import again is safe." : "";
  return problem("provider_unavailable", {
    detail: `Page ${pages + 1} of the registry could not be read: ${why}.${rest}`,
  });
}

/** One transaction; if it fails, the import ends. */
async function importEntries(
  deps: Deps,
  integration: Integration,
  progress: Progress,
  entries: RegistryPage["candidates"],
): Promise<void> {
  const { people, faults } = readPeople(entries, progress);
  const { counts, traceId } = progress;
  const { provider_id: providerId } = integration;
  const first = progress.entries + 1;
  progress.entries += entries.length;
  await transact(deps, async (trx) => {
    await lockUnchangedIntegration(trx, integration);
    const done = { ...(await importPeople(trx, deps, providerId, people)), invalid: faults.length };
    for (const count of ["imported", "updated", "skipped", "invalid"] as const) counts[count] += done[count];
    const params = { first, last: progress.entries, ...done };
    recordSteps(trx, [{ traceId, step: "registry", code: "registry_imported", params, providerId }]);
    publish(trx, { type: "import", providerId, traceId, entries: progress.entries, ...counts });
  });
  progress.faults.push(...faults);
}
