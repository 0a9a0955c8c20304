import { type Kysely, type RawBuilder, sql, type UpdateObject } from "kysely";
import type { Health, HealthCode, IssueCode, Params } from "../../../generated/operations/types.ts";
import type { Unavailable } from "../../clients/provider/answer.ts";
import { HEALTH_BY_GRAVITY } from "../../contract/operator-text.ts";
import { conditionsOf, HOLDS_SEAT, hasCondition, IS_LIVE } from "../db/fragments.ts";
import type { ConditionCode, Integration, ProviderRoute, Schema, StoredCondition } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { raiseIssue, resolveIssues } from "../issues.ts";
import { failureParams } from "../step.ts";
import { publish } from "../stream.ts";
import { type Trx, transact } from "../transaction.ts";
import { markRefreshDue } from "../work/refresh.ts";
import { markDue, PRIORITY } from "../work/rows.ts";

type Parts = Pick<Deps, "newId" | "now" | "wakeWorker" | "timing">;

interface Declared extends Pick<Health, "paused" | "resumes"> {
  /** Open for as long as the condition holds. */
  issue?: IssueCode;
  /** The issue counts each time that the condition is found, and not its beginning alone. */
  isCounted?: true;
  /** No call has a usable response. */
  isSilent?: true;
  /** Ends with a good response to a probe, once a minute. */
  isProbed?: true;
  /** Fails work, which is tried again at its end. */
  failsWork?: true;
}

/** The conditions of an organisation, by the health that it is shown with while one is the gravest (`HEALTH_BY_GRAVITY`). */
export const DECLARED: Readonly<Record<ConditionCode, Declared>> = {
  // The provider rejects the token: nothing is called but a probe, until it accepts it or another token is given.
  token_rejected: {
    issue: "token_rejected",
    paused: "all_calls",
    resumes: "with_good_response",
    isSilent: true,
    isProbed: true,
    failsWork: true,
  },
  // Many shifts are gone at once, or many people from their lists: no more of them are treated as deleted or removed.
  mass_disappearance: {
    issue: "mass_disappearance",
    paused: "deletions",
    resumes: "with_operator",
    isCounted: true,
  },
  // The circuit of a process is open.
  unreachable: {
    issue: "provider_down",
    paused: "all_calls",
    resumes: "automatically",
    isCounted: true,
    isSilent: true,
    failsWork: true,
  },
  // The provider responds with 404 for what it should know, or breaks the contract on every call: an outage, whatever the status.
  implausible: {
    issue: "provider_implausible",
    paused: "deletions",
    resumes: "automatically",
    isSilent: true,
    isProbed: true,
    failsWork: true,
  },
  // By route: the provider answers as if it had none.
  route_missing: {
    issue: "route_missing",
    paused: "one_operation",
    resumes: "automatically",
    isCounted: true,
    failsWork: true,
  },
  // A Retry-After, which holds for every process.
  rate_limited: { paused: "all_calls", resumes: "automatically", isSilent: true },
};

const GRAVITY = sql`array[${sql.join(HEALTH_BY_GRAVITY.map((code) => sql.lit(code)))}]`;
const GRAVEST_FIRST = sql`order by array_position(${GRAVITY}, code), since`;

const OF_EACH = conditionsOf(sql.ref("integrations.providerId"));

/** The conditions of an organisation in JSON, as `Integration` has them. */
export const conditionsAt = (provider: RawBuilder<unknown>) => sql<StoredCondition[]>`
  coalesce((select json_agg(json_build_object('code', code, 'key', key, 'since', since, 'until', until) ${GRAVEST_FIRST}) ${conditionsOf(provider)}), '[]')`;

const SILENT = (Object.keys(DECLARED) as ConditionCode[]).filter((code) => DECLARED[code].isSilent);

/** Whether no call to the provider has a usable response. */
export const isSilent = (provider: RawBuilder<unknown>) => hasCondition(provider, ...SILENT);

/** The code of `healthOf`, over the table `integrations`. */
export const HEALTH = sql<HealthCode>`coalesce((select code ${OF_EACH} ${GRAVEST_FIRST} limit 1), 'reachable')`;

/** How grave it is: the least is the gravest. */
export const HEALTH_RANK = sql<number>`array_position(${GRAVITY}, ${HEALTH})`;

/** How a provider behaves: the gravest of its conditions. */
export function healthOf({ conditions: [gravest], reachableSince }: Integration): Health {
  if (!gravest)
    return {
      code: "reachable",
      since: reachableSince.toISOString(),
      paused: "nothing",
      resumes: "automatically",
    };
  const { code, since, until } = gravest;
  const { paused, resumes } = DECLARED[code];
  const silence = code === "rate_limited" && until !== null && { until: new Date(until).toISOString() };
  return { code, since: new Date(since).toISOString(), paused, resumes, ...silence };
}

export const conditionOf = ({ conditions }: Pick<Integration, "conditions">, code: ConditionCode) =>
  conditions.find((each) => each.code === code);

/** Selects integrations as `Integration` has them: one, or all. */
export function selectIntegrations(db: Kysely<Schema>, providerId?: string) {
  const provider = providerId === undefined ? sql.ref("integrations.providerId") : sql`${providerId}::uuid`;
  const all = db
    .selectFrom("integrations")
    .selectAll("integrations")
    .select(conditionsAt(provider).as("conditions"));
  return providerId === undefined ? all : all.where("integrations.providerId", "=", providerId);
}

/** Changes an integration, and publishes that. */
export async function writeIntegration(
  trx: Trx,
  providerId: string,
  columns: UpdateObject<Schema, "integrations">,
): Promise<Integration> {
  await trx.updateTable("integrations").set(columns).where("providerId", "=", providerId).execute();
  return publishIntegration(trx, providerId);
}

export async function publishIntegration(trx: Trx, providerId: string): Promise<Integration> {
  const integration = await selectIntegrations(trx, providerId).executeTakeFirstOrThrow();
  const { state } = integration;
  publish(trx, { type: "integration", providerId, state, health: healthOf(integration).code });
  return integration;
}

interface Begun {
  /** The operation of a route. */
  key?: string;
  until?: Date;
  /** Of the issue. */
  params?: Params | undefined;
  traceId?: string | undefined;
  /** Over the table `integrations`: the condition begins only if this holds. */
  where?: RawBuilder<boolean>;
}

/** Conditions of one organisation begin and end one after the other. Returns false if there is no integration for which this holds. */
async function takeTurn(trx: Trx, providerId: string, where: RawBuilder<boolean>): Promise<boolean> {
  const { rows } = await sql`
    select 1 from integrations where provider_id = ${providerId} and ${where} for no key update`.execute(trx);
  return rows.length > 0;
}

const subjectOf = (key: string) =>
  key === "" ? ({ kind: "integration" } as const) : ({ kind: "operation", operation: key } as const);

/** A condition holds from now on, or still does. Returns false if it must not begin. */
export async function begin(
  trx: Trx,
  deps: Parts,
  providerId: string,
  code: ConditionCode,
  { key = "", until, params, traceId, where = sql`true` }: Begun = {},
): Promise<boolean> {
  if (!(await takeTurn(trx, providerId, where))) return false;
  const { issue, isCounted, isProbed } = DECLARED[code];
  const row = { providerId, code, key, since: deps.now(), until: until ?? null };
  const begun = await trx
    .insertInto("conditions")
    .values(row)
    .onConflict((on) => on.columns(["providerId", "code", "key"]).doNothing())
    .returning("code")
    .executeTakeFirst();
  if (begun) await publishIntegration(trx, providerId);
  else if (until)
    await sql`update conditions set until = greatest(until, ${until}) where ${isOne(providerId, code, key)}`.execute(
      trx,
    );
  if (issue && (begun || isCounted)) {
    const raised = { code: issue, providerId, subject: subjectOf(key), traceId };
    await raiseIssue(trx, deps, { ...raised, ...(params && { params }) });
  }
  // A probe that is just ending, of an earlier condition, is followed by one more.
  const probe = { providerId, kind: "probe", key: "", priority: PRIORITY.interactive } as const;
  if (isProbed) markDue(trx, deps, [{ ...probe, afterMs: deps.timing.probeMs }]);
  return true;
}

interface Ended {
  key?: string;
  /** Over the table `conditions`: the condition ends only if this holds. */
  where?: RawBuilder<boolean>;
  /** What changes with it. */
  columns?: UpdateObject<Schema, "integrations">;
}

const isOne = (providerId: string, code: ConditionCode, key: string) =>
  sql<boolean>`conditions.provider_id = ${providerId} and code = ${code} and key = ${key}`;

/** A condition no longer holds. Returns whether it did. */
export async function end(
  trx: Trx,
  deps: Parts,
  providerId: string,
  code: ConditionCode,
  { key = "", where = sql`true`, columns }: Ended = {},
): Promise<boolean> {
  const { issue, failsWork } = DECLARED[code];
  const ending = sql`from conditions where ${isOne(providerId, code, key)} and ${where}`;
  if (!(await takeTurn(trx, providerId, sql`exists (select 1 ${ending})`))) return false;
  // As it is now: it may have ended while this waited for its turn.
  const { numAffectedRows } = await sql`delete ${ending}`.execute(trx);
  if (numAffectedRows === 0n) return false;
  await writeIntegration(trx, providerId, { reachableSince: deps.now(), ...columns });
  if (issue) await resolveIssues(trx, deps, { providerId, codes: [issue], subject: subjectOf(key) });
  if (failsWork) markRefreshDue(trx, deps, [{ providerId, key: "responds" }]);
  return true;
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

export async function recordRoute(
  trx: Trx,
  deps: Parts,
  providerId: string,
  { route: key, works, recoveries: seen, params, traceId }: SeenRoute,
): Promise<void> {
  const recoveries = sql`coalesce((route_recoveries ->> ${key}::text)::int, 0)`;
  if (!works) {
    const where = sql<boolean>`${recoveries} = coalesce(${seen ?? null}::int, ${recoveries})`;
    await begin(trx, deps, providerId, "route_missing", { key, where, params, traceId });
    return;
  }
  const routeRecoveries = sql<string>`route_recoveries || jsonb_build_object(${key}::text, ${recoveries} + 1)`;
  await end(trx, deps, providerId, "route_missing", { key, columns: { routeRecoveries } });
}

/** Holds deletions and removals until an operator confirms them. Returns false when one has just done so. */
export function holdDeletions(trx: Trx, deps: Parts, providerId: string, params: Params): Promise<boolean> {
  const where = sql<boolean>`coalesce(absence_accepted_until < ${deps.now()}, true)`;
  return begin(trx, deps, providerId, "mass_disappearance", { params, where });
}

/** Ends the hold once no shift with a job is missing, and no list lacks a person booked. */
export async function resumeDeletions(trx: Trx, deps: Parts, providerId: string): Promise<void> {
  const where = sql<boolean>`not exists (
    select 1 from shifts join jobs using (provider_id, shift_id)
    where shifts.provider_id = ${providerId} and missing_since is not null and ${IS_LIVE})
    and not exists (select 1 from jobs join bookings using (provider_id, job_id)
    where jobs.provider_id = ${providerId} and missing_since is not null and ${IS_LIVE} and start_time > now() and ${HOLDS_SEAT})`;
  await end(trx, deps, providerId, "mass_disappearance", { where });
}

/** How long an operator's confirmation holds. Milliseconds. */
const ACCEPTED_MS = 3_600_000;

/** An operator confirms that the shifts are gone: those that are missing are read once more, and treated as deleted. */
export async function acceptDisappearance(trx: Trx, deps: Parts, providerId: string): Promise<void> {
  const absenceAcceptedUntil = new Date(deps.now().getTime() + ACCEPTED_MS);
  markRefreshDue(trx, deps, [{ providerId, key: "missing" }]);
  await end(trx, deps, providerId, "mass_disappearance", { columns: { absenceAcceptedUntil } });
}

/** Records what calls to a provider have shown. Never rejects. */
async function note(deps: Deps, providerId: string, work: (trx: Trx) => Promise<unknown>): Promise<void> {
  try {
    await transact(deps, work);
  } catch (error) {
    deps.log.warn({ err: error, providerId }, "could not record how a provider behaves");
  }
}

/** The provider asks for silence until this time, or responds again. Never rejects. */
export const noteSilence = (deps: Deps, providerId: string, until: Date | undefined): Promise<void> =>
  note(deps, providerId, (trx) =>
    until
      ? begin(trx, deps, providerId, "rate_limited", { until })
      : end(trx, deps, providerId, "rate_limited"),
  );

/** Every response of the provider breaks the contract. Never rejects. */
export const noteBroken = (deps: Deps, providerId: string): Promise<void> =>
  note(deps, providerId, (trx) => begin(trx, deps, providerId, "implausible"));

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
export function noteCircuit(
  deps: Deps,
  providerId: string,
  { state, cause }: Circuit,
  processes = 1,
): Promise<void> {
  const { log } = deps;
  const now = deps.now();
  const params = cause && failureParams(cause);
  if (state === "open")
    log.warn(
      { providerId, ...params },
      "a provider is not called for a while: its last calls had no usable response",
    );
  return note(deps, providerId, async (trx) => {
    const until = new Date(now.getTime() + RENEWED_WITHIN_MS);
    if (state === "open") return begin(trx, deps, providerId, "unreachable", { until, params });
    const where = processes > 1 ? sql<boolean>`until < ${now}` : sql<boolean>`true`;
    if (await end(trx, deps, providerId, "unreachable", { where }))
      log.info({ providerId }, "a provider responds again");
  });
}
