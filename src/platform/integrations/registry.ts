import type { RegistryImport } from "../../../generated/operations/types.ts";
import type { Failure } from "../../clients/provider/answer.ts";
import type { RegistryPage } from "../../clients/provider/registry-page.ts";
import { problem } from "../../contract/problem.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/news.ts";
import { recordSteps, type Trx, transact } from "../transaction.ts";
import { askPatiently } from "./patience.ts";
import { importPeople } from "./registry-people.ts";
import { readPeople } from "./registry-person.ts";

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
  /** Who was in the registry already: personal numbers. */
  seen: Set<string>;
  result: RegistryImport;
}

/**
 * Imports the provider's candidate registry (contract 2.5), page by page. Each page has its transaction: an import that breaks off
 * keeps what it has, and running it again is safe. A person who is in the registry twice counts once.
 * @throws ProblemError registry_absent; provider_unavailable, after which the pages before it stay imported.
 */
export async function importRegistry(deps: Deps, integration: Integration): Promise<RegistryImport> {
  const result: RegistryImport = { imported: 0, updated: 0, skipped: 0, invalid: 0, faults: [] };
  const progress: Progress = { traceId: deps.newTraceId(), pages: 0, entries: 0, seen: new Set(), result };
  const cursors = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await readPage(deps, integration, progress, cursor);
    progress.pages += 1;
    // A provider that ignores the limit must not hold the embedded database's only connection for seconds.
    for (let start = 0; start < page.candidates.length; start += PAGE) {
      await takeEntries(deps, integration, progress, page.candidates.slice(start, start + PAGE));
    }
    cursor = page.nextCursor;
    const trouble = cursor !== undefined && whyToStop(cursor, cursors, progress);
    if (trouble) {
      noteFault(progress, progress.entries, trouble);
      break;
    }
    if (cursor !== undefined) cursors.add(cursor);
  } while (cursor !== undefined);
  const { imported, updated, skipped, invalid } = result;
  const { provider_id: providerId } = integration;
  deps.log.info({ providerId, imported, updated, skipped, invalid }, "the registry was imported");
  return result;
}

/** A provider that gives cursors and then ignores them would be read for ever. */
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
  const client = deps.clientFor(integration);
  const answer = await askPatiently(() => client.readRegistry(query, { traceId }), {
    waitsMs: deps.timing.onboardingRetriesMs,
  });
  if (answer.kind === "page") return answer.page;
  if (answer.kind !== "absent") throw notRead(answer, pages);
  if (pages === 0) throw problem("registry_absent", { detail: "The provider does not offer its registry." });
  throw notRead({ kind: "refused", status: 404, code: undefined }, pages);
}

function notRead(failure: Failure, pages: number) {
  const why = failure.kind === "unavailable" ? failure.reason : `status ${failure.status}`;
  const rest = pages > 0 ? " The pages before it are imported; running the import again is safe." : "";
  return problem("provider_unavailable", {
    detail: `Page ${pages + 1} of the registry could not be read: ${why}.${rest}`,
  });
}

/** One transaction. */
async function takeEntries(
  deps: Deps,
  { provider_id }: Integration,
  progress: Progress,
  entries: RegistryPage["candidates"],
): Promise<void> {
  const { people, faults } = readPeople(entries, progress);
  const { result, traceId } = progress;
  const first = progress.entries + 1;
  progress.entries += entries.length;
  const counts = await transact(deps, async (trx) => {
    const done = await importPeople(trx, deps, provider_id, people);
    const all = { ...done, invalid: faults.length };
    const params = { first, last: progress.entries, ...all };
    recordSteps(trx, [
      { traceId, step: "registry", code: "registry_imported", params, providerId: provider_id },
    ]);
    publishProgress(trx, provider_id, progress, all);
    return all;
  });
  for (const { entry, reason } of faults) noteFault(progress, entry, reason);
  for (const count of ["imported", "updated", "skipped", "invalid"] as const) result[count] += counts[count];
}

type Counts = Omit<RegistryImport, "faults">;

/** For the stream: numbers only, those of this transaction included. */
function publishProgress(
  trx: Trx,
  providerId: string,
  { traceId, entries, result }: Progress,
  counts: Counts,
): void {
  publish(trx, {
    ...{ type: "import", providerId, traceId, entries },
    imported: result.imported + counts.imported,
    updated: result.updated + counts.updated,
    skipped: result.skipped + counts.skipped,
    invalid: result.invalid + counts.invalid,
  });
}

function noteFault({ result }: Progress, entry: number, reason: string): void {
  if (result.faults.length < MOST_FAULTS) result.faults.push({ entry, reason });
}
