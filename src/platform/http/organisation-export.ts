import type { RequestHandler } from "express";
import { type Kysely, sql } from "kysely";
import type { Integration, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { readDiscovered } from "../integrations/discover.ts";
import { requireIntegration } from "../integrations/integration.ts";
import { type ExportParts, exportRoute, operationNamed } from "./export-route.ts";
import { viewOfIssue } from "./issue-views.ts";
import { writeLines } from "./lines.ts";
import { viewOfEvent } from "./operations/events.ts";
import { viewOfIntegration } from "./operations/integrations.ts";
import { selectJobs, viewsOfJobs } from "./operations/jobs.ts";
import { viewOfNotification } from "./operations/notifications.ts";
import { page } from "./page.ts";

const PAGE = 200;

/** `GET /operations/v1/integrations/{providerId}/export`. */
export function organisationExport(parts: ExportParts): RequestHandler {
  const { deps } = parts;
  // Who may delete may export.
  const { operation, read } = operationNamed("deleteIntegration");
  return exportRoute(parts, operation, "application/x-ndjson", async (request) => {
    const { path } = await read(request);
    const { providerId } = path as { providerId: string };
    const integration = await requireIntegration(deps.database.kysely, providerId);
    return {
      operation: "exportIntegration",
      subjects: { providerId: integration.provider_id },
      write: (response) => writeLines(response, linesOf(deps, integration)),
    };
  });
}

/** What the operations API shows of an organisation, from its registration to its oldest event. */
async function* linesOf(deps: Deps, integration: Integration): AsyncGenerator<object> {
  const { kysely } = deps.database;
  const { provider_id } = integration;
  const where = { provider_id };
  yield { integration: viewOfIntegration(integration) };
  yield { mappings: await readDiscovered(kysely, provider_id) };
  let lines = 2;
  const parts = {
    membership: (query: Query) =>
      page(selectMemberships(kysely), query, { id: "candidate_id", where }, viewOfMembership),
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

const selectMemberships = (db: Kysely<Schema>) =>
  db.selectFrom("memberships").select([
    "provider_id",
    "candidate_id",
    "released_at",
    sql<
      string[]
    >`array(select competence_id from membership_competences as able where able.provider_id = memberships.provider_id
      and able.candidate_id = memberships.candidate_id order by 1)`.as("competence_ids"),
  ]);

/** Without personal data, like the rest of the export. */
const viewOfMembership = (row: {
  provider_id: string;
  candidate_id: string;
  released_at: Date | null;
  competence_ids: string[];
}) => ({
  candidateId: row.candidate_id,
  providerId: row.provider_id,
  released: row.released_at !== null,
  competenceIds: row.competence_ids,
});

interface Query {
  limit: number;
  cursor?: string;
}
