import { sql } from "kysely";
import type {
  FieldError,
  IntegrationChange,
  IntegrationCreate,
  IntegrationCreated,
} from "../../../generated/operations/types.ts";
import { checkProviderUrl } from "../../clients/address-guard.ts";
import { problem } from "../../contract/problem.ts";
import { changesOf } from "../access/audit.ts";
import type { Integration } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { publish } from "../stream.ts";
import { type Trx, transact } from "../transaction.ts";
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
  await checkConnection(deps, order, allowInsecure);
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
  return { ...row, conditions: [] };
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

/**
 * Checks what no schema can express.
 * @throws ProblemError validation_failed (base URL, time zone)
 */
export async function checkConnection(
  { database }: Pick<Deps, "database">,
  { baseUrl, timeZone }: Pick<IntegrationChange, "baseUrl" | "timeZone">,
  allowInsecure: boolean,
): Promise<void> {
  const errors: FieldError[] = [];
  const fault = baseUrl === undefined ? undefined : faultOfUrl(baseUrl, allowInsecure);
  if (fault !== undefined) errors.push({ pointer: "/baseUrl", message: fault });
  if (timeZone !== undefined && !(await isTimeZone(database, timeZone))) {
    const message = "must be an IANA time zone with an area, such as Europe/Stockholm, or UTC";
    errors.push({ pointer: "/timeZone", message });
  }
  if (errors.length > 0)
    throw problem("validation_failed", {
      detail: "The integration cannot be used with these values.",
      errors,
    });
}

/**
 * Refuses to send the stored token to a host that the operator has not given it for.
 * @throws ProblemError validation_failed, when another origin comes without a token.
 */
export function requireTokenOfOrigin(before: string, { baseUrl, providerToken }: IntegrationChange): void {
  if (baseUrl === undefined || providerToken !== undefined) return;
  const { origin } = new URL(before);
  if (new URL(baseUrl).origin === origin) return;
  throw problem("validation_failed", {
    detail:
      "The stored PROVIDER_TOKEN is sent to no other origin. Send `providerToken` with the new `baseUrl`.",
    errors: [{ pointer: "/providerToken", message: `is required, because the base URL leaves ${origin}` }],
  });
}

function faultOfUrl(baseUrl: string, allowInsecure: boolean): string | undefined {
  const checked = checkProviderUrl(baseUrl, { allowInsecure });
  if (!checked.ok) return checked.reason;
  const { search, hash } = checked.url;
  return search !== "" || hash !== "" ? "must have no query and no fragment" : undefined;
}

/**
 * Whether ECMAScript and the database know the zone: one unknown to the database would fail every query over the shifts of all organisations.
 * ECMAScript accepts an offset (+01:00), which has no summer time, and abbreviations, of which `BST` is the time of Bangladesh.
 */
async function isTimeZone({ kysely }: Deps["database"], timeZone: string): Promise<boolean> {
  if (!/^(?:UTC|[a-z]+\/[a-z0-9_+/-]+)$/i.test(timeZone)) return false;
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    return false;
  }
  const { rows } = await sql`
    select 1 from pg_timezone_names where lower(name) = ${timeZone.toLowerCase()} limit 1`.execute(kysely);
  return rows.length > 0;
}
