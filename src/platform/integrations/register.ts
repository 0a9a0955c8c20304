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
    const { providerId } = draft;
    publish(trx, { type: "integration", providerId, state: "draft", health: "reachable" });
    return { draft, platformToken: await issuePlatformToken(trx, providerId, draft.createdAt) };
  });
  const { providerId, routing, routingSource, routingAttempts } = await detectAfterwards(deps, draft);
  return {
    providerId,
    state: "draft",
    platformToken,
    ...(routingSource !== "pending" && { routing }),
    routingSource,
    routingAttempts,
  };
}

async function insert(trx: Trx, deps: Deps, order: IntegrationCreate): Promise<Integration> {
  const { routing = "auto" } = order;
  const at = deps.now();
  const row = await trx
    .insertInto("integrations")
    .values({
      // As the database will show it, and every payload is compared with it.
      providerId: order.providerId,
      kind: order.kind,
      name: order.name,
      baseUrl: order.baseUrl,
      ...(routing === "auto" ? { routingSource: "pending" } : { routing }),
      timeZone: order.timeZone ?? ZONE,
      language: order.language ?? null,
      contactPhone: order.contactPhone ?? null,
      providerToken: deps.vault.seal(order.providerToken),
      createdAt: at,
      updatedAt: at,
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
      { err: error, providerId: draft.providerId },
      "could not detect the routing of a new provider",
    );
    return draft;
  }
}
