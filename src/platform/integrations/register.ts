import type { IntegrationCreate, IntegrationCreated } from "../../../generated/operations/types.ts";
import { problem } from "../../contract/problem.ts";
import { changesOf } from "../access/audit.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream.ts";
import { type Trx, transact } from "../transaction.ts";
import { checkConnection } from "./connection.ts";
import { detectRouting } from "./routing.ts";
import { issuePlatformToken } from "./tokens.ts";

const ZONE = "Europe/Stockholm";

/**
 * Registers an organisation as a draft, and detects its routing unless it is given. The platform token is in this result and nowhere else,
 * so a provider that is down does not fail the registration.
 * @throws ProblemError validation_failed (base URL, time zone), integration_exists.
 */
export async function register(
  deps: Deps,
  order: IntegrationCreate,
  allowInsecure: boolean,
): Promise<IntegrationCreated> {
  checkConnection(order, allowInsecure);
  const { draft, platformToken } = await transact(deps, async (trx) => {
    const { kind, name, baseUrl, routing = "auto", timeZone = ZONE, language, contactPhone } = order;
    const given = { ...(language && { language }), ...(contactPhone && { contactPhone }) };
    deps.audit?.note({ changes: changesOf({}, { kind, name, baseUrl, routing, timeZone, ...given }) });
    const draft = await insert(trx, deps, order);
    const { provider_id: providerId } = draft;
    publish(trx, { type: "integration", providerId, state: "draft", health: "reachable" });
    return { draft, platformToken: await issuePlatformToken(trx, providerId, draft.created_at) };
  });
  const { provider_id, routing, routing_source, routing_attempts } = await detectAfterwards(deps, draft);
  return {
    providerId: provider_id,
    state: "draft",
    platformToken,
    ...(routing_source !== "pending" && { routing }),
    routingSource: routing_source,
    routingAttempts: routing_attempts,
  };
}

async function insert(trx: Trx, deps: Deps, order: IntegrationCreate): Promise<Integration> {
  const { routing = "auto" } = order;
  const at = deps.now();
  const row = await trx
    .insertInto("integrations")
    .values({
      // As the database will show it, and every payload is compared with it.
      provider_id: order.providerId.toLowerCase(),
      kind: order.kind,
      name: order.name,
      base_url: order.baseUrl,
      ...(routing === "auto" ? { routing_source: "pending" } : { routing }),
      time_zone: order.timeZone ?? ZONE,
      language: order.language ?? null,
      contact_phone: order.contactPhone ?? null,
      provider_token: deps.vault.seal(order.providerToken),
      created_at: at,
      updated_at: at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!row) throw problem("integration_exists", { detail: "This providerId is registered already." });
  return row;
}

/** The draft is stored: whatever fails now must not hide its token. */
async function detectAfterwards(deps: Deps, draft: Integration): Promise<Integration> {
  try {
    return await detectRouting(deps, draft);
  } catch (error) {
    deps.log.warn(
      { err: error, providerId: draft.provider_id },
      "could not detect the routing of a new provider",
    );
    return draft;
  }
}
