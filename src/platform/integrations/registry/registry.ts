import { sql } from "kysely";
import type { RegistryFault } from "../../../../generated/operations/types.ts";
import { type Failure, failedCall } from "../../../clients/provider/answer.ts";
import {
  LONGEST_REGISTRY,
  MOST_REGISTERED,
  ProviderHttpError,
} from "../../../clients/provider/http-error.ts";
import { routingAttemptsText } from "../../../contract/operator-text.ts";
import { type ProblemCode, problem } from "../../../contract/problem.ts";
import { ProblemError } from "../../../runtime/problem.ts";
import { EMAIL, mailboxOf } from "../../candidates/eligible.ts";
import type { Integration, RegistryImportRow } from "../../db/schema.ts";
import type { Deps } from "../../deps.ts";
import { raiseIssue, resolveIssues } from "../../issues.ts";
import { publish } from "../../stream.ts";
import { answerFetch } from "../../threads/serve-thread.ts";
import { recordSteps, signal, type Trx, transact } from "../../transaction.ts";
import { type Claim, ClaimLost, endClaim, type Run, renewClaim } from "../../work/rows.ts";
import { workerFile } from "../../worker-file.ts";
import { publishIntegration } from "../conditions.ts";
import { lockUnchangedIntegration } from "../integration.ts";
import { attemptOf, routedIntegration } from "../routing.ts";
import { findImport, importTopic } from "./import.ts";
import { importPeople } from "./people.ts";
import type { RegistryEnd, RegistryOrder, RegistryPart } from "./reading.ts";

export const REGISTRY_WORKER = workerFile(new URL("./registry-worker.ts", import.meta.url));

const TOO_LONG = `The provider sent a page of the registry that is longer than ${LONGEST_REGISTRY / 1_000_000} MB: ask its operators to offer the registry in pages.`;
const TOO_MANY = `The registry has more than ${MOST_REGISTERED} entries: ask the provider's operators to list only the people who may work for this organisation. What comes before is imported.`;

/** The next process continues with an interrupted import after this time. Milliseconds. */
const AFTER_STOP_MS = 1_000;

/** An import while it runs. */
interface Importing {
  claim: Claim;
  integration: Integration;
  traceId: string;
  counts: Pick<RegistryImportRow, "imported" | "updated" | "skipped" | "invalid">;
  /** Who were read. */
  people: number;
}

interface Ended {
  faults: RegistryFault[];
  failure?: { code: ProblemCode; detail: string };
}

const GAVE_UP: Ended = {
  faults: [],
  failure: {
    code: "internal_error",
    detail: "The import failed again and again: the log of the platform says why. Running it again is safe.",
  },
};

/**
 * Imports the provider's candidate registry (contract 2.5), page by page, read in a thread of its own. Each part has its transaction, with the progress
 * so far. An import that was interrupted begins again, and whom it had imported before counts as imported. A person who is in the registry twice counts
 * once.
 * @param stopping aborts the import when the platform stops, because it may take minutes
 */
export const importOnce =
  (deps: Deps, stopping: AbortSignal): Run =>
  async (claim, signal) => {
    const { providerId, priority } = claim;
    const row = await findImport(deps.database.kysely, providerId);
    const either = AbortSignal.any([signal, stopping]);
    const ended = row?.endedAt === null && (await tryImport(deps, row, claim, either));
    if (ended === "interrupted") {
      const rest = { afterMs: AFTER_STOP_MS, attempts: claim.attempts - 1, priority };
      return transact(deps, (trx) => endClaim(trx, claim, rest));
    }
    await transact(deps, async (trx) => {
      if (ended) await noteEnd(trx, deps, providerId, ended);
      endClaim(trx, claim, { attempts: 0, priority });
    });
  };

/** People of a registry who may have one address: a family, or a shared mailbox. */
const SHARE_AT_MOST = 3;

/** An address of many people may be that of someone who wants their mails. */
async function noteShared(trx: Trx, deps: Pick<Deps, "now" | "newId">, providerId: string): Promise<void> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select 1 from memberships join candidates using (candidate_id)
      where provider_id = ${providerId} and ${EMAIL} <> '' group by ${mailboxOf(EMAIL)} having count(*) > ${SHARE_AT_MOST}::int) as shared`.execute(
    trx,
  );
  const count = rows[0]?.count ?? 0;
  const issue = { providerId, subject: { kind: "integration" } } as const;
  if (count > 0) await raiseIssue(trx, deps, { ...issue, code: "address_shared", params: { count } });
  else await resolveIssues(trx, deps, { ...issue, codes: ["address_shared"] });
}

async function noteEnd(trx: Trx, deps: Deps, providerId: string, { faults, failure }: Ended) {
  const { now } = deps;
  await trx
    .updateTable("registryImports")
    .set({
      endedAt: now(),
      faults: JSON.stringify(faults),
      failure: failure ? JSON.stringify(failure) : null,
    })
    .where("providerId", "=", providerId)
    .execute();
  await noteShared(trx, deps, providerId);
  signal(trx, importTopic(providerId));
  await publishIntegration(trx, providerId);
}

/** An error that is no problem of the catalogue is thrown: the worker tries again. */
async function tryImport(
  deps: Deps,
  row: RegistryImportRow,
  claim: Claim,
  signal: AbortSignal,
): Promise<Ended | "interrupted"> {
  const { providerId, attempts } = claim;
  const { tries } = deps.retries;
  // Each of them ended with its process.
  if (attempts > tries) return GAVE_UP;
  try {
    return { faults: await importAll(deps, row, claim, signal) };
  } catch (error) {
    if (signal.aborted) return "interrupted";
    if (error instanceof ProblemError) {
      const { problem, message } = error;
      return { faults: [], failure: { code: problem.code as ProblemCode, detail: message } };
    }
    if (error instanceof ClaimLost || attempts < tries) throw error;
    deps.log.error({ err: error, providerId }, "an import of a registry failed for the last time");
    return GAVE_UP;
  }
}

/**
 * Returns what could not be imported.
 * @throws ProblemError registry_absent; registry_too_long or provider_unavailable, after which the parts before it stay imported.
 */
async function importAll(
  deps: Deps,
  { traceId, imported, updated }: RegistryImportRow,
  claim: Claim,
  signal: AbortSignal,
): Promise<RegistryFault[]> {
  const { providerId } = claim;
  const integration = await routedIntegration(deps, providerId);
  const counts = { imported, updated, skipped: 0, invalid: 0 };
  const importing = { claim, integration, traceId, counts, people: 0 };
  const { pages, faults, failure } = await readInThread(deps, importing, signal);
  if (failure?.kind === "absent" && pages === 0)
    throw problem("registry_absent", { detail: "The provider does not offer its registry." });
  if (failure?.kind === "absent")
    throw notRead(integration, { kind: "refused", status: 404, code: undefined }, pages);
  if (failure?.kind === "too_many") throw problem("registry_too_long", { detail: TOO_MANY });
  if (failure?.kind === "unavailable" && failure.failure === "response_too_long")
    throw problem("registry_too_long", { detail: TOO_LONG });
  if (failure) throw notRead(integration, failure, pages);
  deps.log.info({ providerId, ...counts }, "the registry was imported");
  return faults;
}

async function readInThread(deps: Deps, importing: Importing, signal: AbortSignal): Promise<RegistryEnd> {
  const { integration, traceId } = importing;
  const { providerId, baseUrl, routing, providerToken } = integration;
  const order: RegistryOrder = {
    target: { providerId, baseUrl, routing, token: deps.vault.open(providerToken) },
    traceId,
    waitsMs: deps.timing.onboardingRetriesMs,
  };
  const fetch = answerFetch(deps.fetchFor(integration));
  const store = (part: RegistryPart) => importPart(deps, importing, part);
  try {
    return await deps.registryThreads.run<RegistryEnd>(order, { fetch, store }, signal);
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

/** One transaction, with the progress. Of people whom an interrupted import had imported or updated, none is counted as skipped. */
async function importPart(
  deps: Deps,
  importing: Importing,
  { people, invalid, total, ...places }: RegistryPart,
): Promise<Record<string, never>> {
  const { claim, integration, traceId, counts } = importing;
  const { providerId } = integration;
  await transact(deps, async (trx) => {
    await lockUnchangedIntegration(trx, integration);
    const done = { ...(await importPeople(trx, deps, providerId, people)), invalid };
    importing.people += people.length;
    for (const count of ["imported", "updated", "invalid"] as const) counts[count] += done[count];
    counts.skipped = Math.max(0, importing.people - counts.imported - counts.updated);
    const entries = places.last;
    await trx
      .updateTable("registryImports")
      .set({ entries, ...counts, ...(total !== undefined && { expected: total }) })
      .where("providerId", "=", providerId)
      .execute();
    const params = { ...places, ...done };
    recordSteps(trx, [{ traceId, step: "registry", code: "registry_imported", params, providerId }]);
    publish(trx, { type: "import", providerId, traceId, entries, ...counts });
    renewClaim(trx, claim);
  });
  return {};
}
