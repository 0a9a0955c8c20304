import type { IntegrationCreate, IntegrationCreated } from "../../../generated/operations/types.ts";
import { checkProviderUrl } from "../../clients/address-guard.ts";
import { problem } from "../../contract/problem.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream/news.ts";
import { transact } from "../transaction.ts";
import { issuePlatformToken } from "./tokens.ts";

/**
 * Registers an organisation as a draft. The platform token is in this result and nowhere else.
 * @throws ProblemError validation_failed (base URL, time zone), integration_exists.
 */
export async function register(
  deps: Deps,
  order: IntegrationCreate,
  allowInsecure: boolean,
): Promise<IntegrationCreated> {
  checkOrder(order, allowInsecure);
  // As the database will show it, and every payload is compared with it.
  const providerId = order.providerId.toLowerCase();
  const platformToken = await transact(deps, async (trx) => {
    const at = deps.now();
    const row = await trx
      .insertInto("integrations")
      .values({
        provider_id: providerId,
        kind: order.kind,
        name: order.name,
        base_url: order.baseUrl,
        routing: order.routing ?? "path",
        time_zone: order.timeZone ?? "Europe/Stockholm",
        provider_token: deps.vault.seal(order.providerToken),
        created_at: at,
        updated_at: at,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning("provider_id")
      .executeTakeFirst();
    if (!row) throw problem("integration_exists", { detail: "This providerId is registered already." });
    publish(trx, { type: "integration", providerId, state: "draft", health: "reachable" });
    return issuePlatformToken(trx, providerId, at);
  });
  return { providerId, state: "draft", platformToken };
}

function checkOrder({ baseUrl, timeZone }: IntegrationCreate, allowInsecure: boolean): void {
  const errors = [];
  const url = checkProviderUrl(baseUrl, { allowInsecure });
  if (!url.ok) errors.push({ pointer: "/baseUrl", message: url.reason });
  else if (url.url.search !== "" || url.url.hash !== "") {
    errors.push({ pointer: "/baseUrl", message: "must have no query and no fragment" });
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    errors.push({ pointer: "/timeZone", message: "must be an IANA time zone, such as Europe/Stockholm" });
  }
  if (errors.length > 0)
    throw problem("validation_failed", { detail: "The integration cannot be used so.", errors });
}

/** ECMAScript accepts an offset (+01:00) as a zone too, but such a zone has no summer time. */
function isTimeZone(timeZone: string): boolean {
  if (!/^[a-z]/i.test(timeZone)) return false;
  try {
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}
