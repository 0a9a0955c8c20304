import type { RequestHandler } from "express";
import { operationsTable } from "../../../generated/operations/server.ts";
import { requests } from "../../../generated/operations/validators.js";
import { requestReader } from "../../runtime/request.ts";
import type { Deps } from "../deps.ts";
import { readDiscovered } from "../integrations/discover.ts";
import { requireIntegration } from "../integrations/integration.ts";
import { recordExport } from "./audited.ts";
import type { OperatorAuthentication } from "./authenticate.ts";
import { writeLines } from "./lines.ts";
import { viewOfEvent } from "./operations/events.ts";
import { viewOfIntegration } from "./operations/integrations.ts";
import { viewOfIssue } from "./operations/issues.ts";
import { selectJobs, viewsOfJobs } from "./operations/jobs.ts";
import { viewOfNotification } from "./operations/notifications.ts";
import { page } from "./page.ts";

const PAGE = 200;

/** `GET /operations/v1/integrations/{providerId}/export`, beside the generated router, because it does not answer with one JSON value. */
export function organisationExport(deps: Deps, authenticate: OperatorAuthentication): RequestHandler {
  // Who may delete may export.
  const operation = operationsTable.find(({ operationId }) => operationId === "deleteIntegration");
  if (!operation) throw new Error("the document has no operation deleteIntegration");
  const read = requestReader(operation, requests.deleteIntegration, 0);
  return async (request, response) => {
    const identity = await authenticate(request, operation);
    const { path } = await read(request);
    const { providerId } = path as { providerId: string };
    const { provider_id } = await requireIntegration(deps.database.kysely, providerId);
    response.type("application/x-ndjson").set("Cache-Control", "no-store");
    if (request.method === "HEAD") return void response.end();
    const subjects = { providerId: provider_id };
    await recordExport(deps, identity, { operation: "exportIntegration", subjects });
    await writeLines(response, linesOf(deps, providerId));
  };
}

/** What the operations API shows of an organisation, from its registration to its oldest event. */
async function* linesOf(deps: Deps, providerId: string): AsyncGenerator<object> {
  const { kysely } = deps.database;
  const { provider_id } = await requireIntegration(kysely, providerId);
  const where = { provider_id };
  yield { integration: viewOfIntegration(await requireIntegration(kysely, providerId)) };
  yield { mappings: await readDiscovered(kysely, provider_id) };
  let lines = 2;
  const parts = {
    job: async (query: Query) => {
      const { items, ...rest } = await page(selectJobs(deps), query, { id: "job_id", where }, (job) => job);
      return { items: await viewsOfJobs(deps, items), ...rest };
    },
    notification: (query: Query) => {
      const all = kysely.selectFrom("notifications").selectAll();
      return page(all, query, { id: "notification_id", where }, viewOfNotification);
    },
    issue: (query: Query) =>
      page(kysely.selectFrom("issues").selectAll(), query, { id: "issue_id", where }, viewOfIssue),
    event: (query: Query) =>
      page(kysely.selectFrom("all_events").selectAll(), query, { id: "event_id", where }, viewOfEvent),
  };
  for (const [name, readPage] of Object.entries(parts)) {
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = await readPage({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
      for (const item of items) yield { [name]: item };
      lines += items.length;
      cursor = nextCursor;
    } while (cursor !== undefined);
  }
  yield { complete: true, lines: lines + 1 };
}

interface Query {
  limit: number;
  cursor?: string;
}
