import { type RawBuilder, sql, type UpdateObject } from "kysely";
import type { HealthCode, IssueCode, Params } from "../../../generated/operations/types.ts";
import type { Unavailable } from "../../clients/provider/answer.ts";
import { HEALTH_BY_GRAVITY } from "../../contract/operator-text.ts";
import { HOLDS_SEAT, IS_LIVE } from "../db/fragments.ts";
import type { Integration, ProviderRoute, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { failureParams } from "../step.ts";
import { publish } from "../stream.ts";
import { type Trx, transact } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { markDue, PRIORITY } from "../work/rows.ts";

type Parts = Pick<Deps, "newId" | "now" | "wakeWorker" | "timing">;
type Health = Integration["health"];

const SUBJECT = { kind: "integration" } as const;

const resolveHealthIssue = (trx: Trx, deps: Parts, providerId: string, code: IssueCode) =>
  resolveIssues(trx, deps, { providerId, codes: [code], subject: SUBJECT });

/** A state of health: the condition over the table `integrations`, and since when a row has it. */
interface HealthState {
  holds: RawBuilder<boolean>;
  since(integration: Integration): Date | null | undefined;
}

const marked = (column: "pausedSince" | "heldSince"): HealthState => ({
  holds: sql`${sql.ref(column)} is not null`,
  since: (integration) => integration[column],
});

const stored = (code: Health): HealthState => ({
  holds: sql`health = ${sql.lit(code)}`,
  since: ({ health, healthSince }) => (health === code ? healthSince : undefined),
});

const STATES: Record<HealthCode, HealthState> = {
  token_rejected: marked("pausedSince"),
  mass_disappearance: marked("heldSince"),
  unreachable: stored("unreachable"),
  implausible: stored("implausible"),
  rate_limited: stored("rate_limited"),
  reachable: stored("reachable"),
  route_missing: {
    holds: sql`jsonb_path_exists(routes, '$.*.since')`,
    since: ({ routes }) => {
      const [first] = Object.values(routes)
        .flatMap((route) => route.since ?? [])
        .sort();
      return first === undefined ? undefined : new Date(first);
    },
  },
};

/** How a provider behaves: the gravest state that it is in. */
export function healthOf(integration: Integration): { code: HealthCode; since: Date } {
  for (const code of HEALTH_BY_GRAVITY) {
    const since = STATES[code].since(integration);
    if (since) return { code, since };
  }
  throw new Error(`an integration is in no state of health: ${integration.health}`);
}

const firstThat = (value: (code: HealthCode, rank: number) => string | number) =>
  sql.join(
    HEALTH_BY_GRAVITY.map((code, rank) => sql`when ${STATES[code].holds} then ${sql.lit(value(code, rank))}`),
    sql` `,
  );

/** The code of `healthOf`, over the table `integrations`. */
export const HEALTH = sql<HealthCode>`case ${firstThat((code) => code)} end`;

/** How grave it is: 0 is the gravest. */
export const HEALTH_RANK = sql<number>`case ${firstThat((_, rank) => rank)} end`;

/** Changes the integration where `condition` holds, and publishes that. Returns undefined where it does not. */
export async function writeIf(
  trx: Trx,
  providerId: string,
  columns: UpdateObject<Schema, "integrations">,
  condition: RawBuilder<boolean>,
): Promise<Integration | undefined> {
  const row = await trx
    .updateTable("integrations")
    .set(columns)
    .where("providerId", "=", providerId)
    .where(condition)
    .returningAll()
    .executeTakeFirst();
  if (row) publishIntegration(trx, row);
  return row;
}

export function publishIntegration(trx: Trx, integration: Integration): void {
  const { providerId, state } = integration;
  publish(trx, { type: "integration", providerId, state, health: healthOf(integration).code });
}

/** Activates or suspends an integration that the transaction has locked. */
export async function setState(
  trx: Trx,
  { now, audit }: Pick<Deps, "now" | "audit">,
  integration: Integration,
  state: Integration["state"],
): Promise<Integration> {
  // An organisation that is activated again does not leave.
  const stays = state === "active" && { offboarding: null, offboardingSince: null };
  const columns = { state, updatedAt: now(), ...stays };
  audit?.note({ changes: [{ field: "state", before: integration.state, after: state }] });
  await writeIf(trx, integration.providerId, columns, sql`true`);
  return { ...integration, ...columns };
}

/** Notes how the provider behaves now; the issue of an implausible provider comes and goes with it. Returns whether the state changed. */
async function noteHealth(
  trx: Trx,
  deps: Parts,
  providerId: string,
  health: Health,
  { until = null, from }: { until?: Date | null; from?: Health } = {},
): Promise<boolean> {
  const columns = { health, healthSince: deps.now(), healthUntil: until };
  const condition = from ? sql<boolean>`health = ${from}` : sql<boolean>`health <> ${health}`;
  const changed = await writeIf(trx, providerId, columns, condition);
  const code = "provider_implausible";
  if (changed && health === "implausible")
    await raiseIssue(trx, deps, { code, providerId, subject: SUBJECT });
  else if (changed) await resolveHealthIssue(trx, deps, providerId, code);
  return changed !== undefined;
}

/** The provider responds with 404 for what it should know, or breaks the contract on every call: an outage, whatever the status. */
export async function noteImplausible(trx: Trx, deps: Parts, providerId: string): Promise<void> {
  if (await noteHealth(trx, deps, providerId, "implausible")) startProbes(trx, deps, providerId);
}

/** The provider responds again as the contract requires: what has failed is tried at once. */
export async function noteReachable(trx: Trx, deps: Parts, providerId: string): Promise<void> {
  const isChanged = await noteHealth(trx, deps, providerId, "reachable", { from: "implausible" });
  if (isChanged) markRefreshDue(trx, deps, [{ providerId, key: "responds" }]);
}

/** Asks the provider once a minute whether it has recovered. A probe that is just ending, of an earlier outage, is followed by one more. */
function startProbes(trx: Trx, deps: Parts, providerId: string): void {
  const { probeMs } = deps.timing;
  markDue(trx, deps, [
    { providerId, kind: "probe", key: "", priority: PRIORITY.interactive, afterMs: probeMs },
  ]);
}

/** A call about a person, and whether the provider has its route. `works`: it has it again. */
export interface SeenRoute {
  route: ProviderRoute;
  works: boolean;
  /** How often the route had recovered when it was found missing. It may have recovered again since. */
  recoveries?: number;
  params?: Params;
  traceId?: string;
}

/** Raises the issue of a route that the provider answers as if it had none. Resolves it once the route works, and then repeats what failed. */
export async function recordRoute(
  trx: Trx,
  deps: Parts,
  providerId: string,
  { route, works, recoveries: seen, params, traceId }: SeenRoute,
): Promise<void> {
  const subject = { kind: "operation", operation: route } as const;
  const code = "route_missing";
  const isMissing = sql<boolean>`routes -> ${route}::text ->> 'since' is not null`;
  const recoveries = sql`coalesce((routes -> ${route}::text ->> 'recoveries')::int, 0)`;
  const routesWith = (known: RawBuilder<unknown>) =>
    sql<string>`routes || jsonb_build_object(${route}::text, jsonb_strip_nulls(${known}))`;
  if (!works) {
    const since = sql`coalesce(routes -> ${route}::text ->> 'since', ${deps.now().toISOString()}::text)`;
    const known = sql`jsonb_build_object('since', ${since}, 'recoveries', ${recoveries})`;
    const isUnchanged = sql<boolean>`${recoveries} = coalesce(${seen ?? null}::int, ${recoveries})`;
    if (!(await writeIf(trx, providerId, { routes: routesWith(known) }, isUnchanged))) return;
    const issue = { code, providerId, subject, traceId } as const;
    return raiseIssue(trx, deps, { ...issue, ...(params && { params }) });
  }
  const known = sql`jsonb_build_object('recoveries', ${recoveries} + 1)`;
  if (!(await writeIf(trx, providerId, { routes: routesWith(known) }, isMissing))) return;
  await resolveIssues(trx, deps, { providerId, codes: [code], subject });
  markRefreshDue(trx, deps, [{ providerId, key: "responds" }]);
}

/** The provider rejects the token: nothing is called but a probe, until it accepts it or another token is given. */
export async function pauseCalls(trx: Trx, deps: Parts, providerId: string, status: number): Promise<void> {
  const paused = await writeIf(trx, providerId, { pausedSince: deps.now() }, sql`paused_since is null`);
  const issue = { code: "token_rejected", providerId, subject: SUBJECT, params: { status } } as const;
  if (paused) await raiseIssue(trx, deps, issue);
  startProbes(trx, deps, providerId);
}

/** Resumes everything of the integration. */
export async function resumeCalls(trx: Trx, deps: Parts, providerId: string): Promise<void> {
  if (!(await writeIf(trx, providerId, { pausedSince: null }, sql`paused_since is not null`))) return;
  await resolveHealthIssue(trx, deps, providerId, "token_rejected");
  markRefreshDue(trx, deps, [{ providerId, key: "responds" }]);
}

/**
 * Many shifts are gone at once, or many people from their lists: no more of them are treated as deleted or removed until an operator confirms it.
 * Returns false when one has just done so.
 */
export async function pauseDeletions(
  trx: Trx,
  deps: Parts,
  providerId: string,
  params: Params,
): Promise<boolean> {
  const now = deps.now();
  const isOpen = sql<boolean>`held_since is null and coalesce(absence_accepted_until < ${now}, true)`;
  const held = await writeIf(trx, providerId, { heldSince: now }, isOpen);
  const { rows } = await sql`
    select 1 from integrations where provider_id = ${providerId} and held_since is not null for update`.execute(
    trx,
  );
  const isHeld = held !== undefined || rows.length > 0;
  if (isHeld)
    await raiseIssue(trx, deps, { code: "mass_disappearance", providerId, subject: SUBJECT, params });
  return isHeld;
}

/** Ends the hold once no shift with a job is missing, and no list lacks a person booked. */
export async function resumeDeletions(trx: Trx, deps: Parts, providerId: string): Promise<void> {
  const isOver = sql<boolean>`held_since is not null and not exists (
    select 1 from shifts join jobs using (provider_id, shift_id)
    where shifts.provider_id = ${providerId} and missing_since is not null and ${IS_LIVE})
    and not exists (select 1 from jobs join bookings using (provider_id, job_id)
    where jobs.provider_id = ${providerId} and missing_since is not null and ${IS_LIVE} and start_time > now() and ${HOLDS_SEAT})`;
  if (!(await writeIf(trx, providerId, { heldSince: null }, isOver))) return;
  await resolveHealthIssue(trx, deps, providerId, "mass_disappearance");
}

/** How long an operator's confirmation holds. Milliseconds. */
const ACCEPTED_MS = 3_600_000;

/** An operator confirms that the shifts are gone: those that are missing are read once more, and treated as deleted. */
export async function acceptDisappearance(trx: Trx, deps: Parts, providerId: string): Promise<void> {
  const absenceAcceptedUntil = new Date(deps.now().getTime() + ACCEPTED_MS);
  markRefreshDue(trx, deps, [{ providerId, key: "missing" }]);
  await writeIf(trx, providerId, { heldSince: null, absenceAcceptedUntil }, sql`held_since is not null`);
}

/** The provider asks for silence for this many milliseconds; 0: it responds again. Never rejects. */
export async function noteSilence(deps: Deps, providerId: string, ms: number): Promise<void> {
  const until = ms > 0 ? new Date(deps.now().getTime() + ms) : null;
  try {
    await transact(deps, async (trx) => {
      if (ms === 0) return noteHealth(trx, deps, providerId, "reachable", { from: "rate_limited" });
      await noteHealth(trx, deps, providerId, "rate_limited", { until });
    });
  } catch (error) {
    deps.log.warn({ err: error, providerId }, "could not record that a provider asks for silence");
  }
}

/** Every response of the provider breaks the contract. Never rejects. */
export async function noteBroken(deps: Deps, providerId: string): Promise<void> {
  try {
    await transact(deps, (trx) => noteImplausible(trx, deps, providerId));
  } catch (error) {
    deps.log.warn({ err: error, providerId }, "could not record that a provider breaks the contract");
  }
}

const DOWN = "provider_down";

/** A process that finds a provider down renews that at each probe. Milliseconds. */
const RENEWED_WITHIN_MS = 120_000;

/** The circuit of a process, and the failed call that opened it. */
export interface Circuit {
  state: "open" | "closed";
  cause: Unavailable | undefined;
}

/**
 * The circuit of this process opened or closed. That another process may have found the provider down holds for as long as it is renewed. Never
 * rejects.
 */
export async function noteCircuit(
  deps: Deps,
  providerId: string,
  { state, cause }: Circuit,
  processes = 1,
): Promise<void> {
  const { log, now } = deps;
  const params = cause && failureParams(cause);
  if (state === "open")
    log.warn(
      { providerId, ...params },
      "a provider is not called for a while: its last calls had no usable response",
    );
  try {
    await transact(deps, async (trx) => {
      if (state === "open") {
        await noteHealth(trx, deps, providerId, "unreachable");
        return raiseIssue(trx, deps, { code: DOWN, providerId, subject: SUBJECT, ...(params && { params }) });
      }
      if (processes > 1 && (await isDownElsewhere(trx, providerId, now()))) return;
      const isChanged = await noteHealth(trx, deps, providerId, "reachable", { from: "unreachable" });
      const closed = await resolveHealthIssue(trx, deps, providerId, DOWN);
      if (closed > 0) log.info({ providerId }, "a provider responds again");
      if (isChanged || closed > 0) markRefreshDue(trx, deps, [{ providerId, key: "responds" }]);
    });
  } catch (error) {
    log.warn({ err: error, providerId }, "could not record the state of a circuit");
  }
}

async function isDownElsewhere(trx: Trx, providerId: string, now: Date): Promise<boolean> {
  const renewed = await trx
    .selectFrom("issues")
    .select("issueId")
    .where("providerId", "=", providerId)
    .where("code", "=", DOWN)
    .where("resolvedAt", "is", null)
    .where("lastAt", ">=", new Date(now.getTime() - RENEWED_WITHIN_MS))
    .executeTakeFirst();
  return renewed !== undefined;
}
