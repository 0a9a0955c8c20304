import { type Kysely, sql } from "kysely";
import type {
  DiscoveredOutlet,
  DiscoveredRole,
  Discovery,
  DiscoveryFault,
} from "../../../generated/operations/types.ts";
import type { Outlet, Role } from "../../../generated/provider/types.ts";
import type { Failure } from "../../clients/provider/answer.ts";
import type { ReadList } from "../../clients/provider/organisation.ts";
import { routingAttemptsText } from "../../contract/operator-text.ts";
import { problem } from "../../contract/problem.ts";
import { keptName } from "../../contract/storable-text.ts";
import { jsonRows } from "../db/fragments.ts";
import type { Integration, Schema } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { type Trx, transact } from "../transaction.ts";
import { readWithRetries } from "./clients.ts";
import { lockUnchangedIntegration } from "./integration.ts";
import {
  deleteListed,
  type Listed,
  lockListed,
  type MappedList,
  type Option,
  OUTLETS,
  ROLES,
  readOptions,
  refreshWaiting,
  storeListed,
} from "./mapped-lists.ts";
import { ADVICE, attemptOf } from "./routing.ts";

const MOST_FAULTS = 100;

/**
 * Reads the provider's outlets and roles, and maps those that certainly are a workplace or a competence.
 * @throws ProblemError provider_unavailable (502), integration_changed.
 */
export async function discover(deps: Deps, integration: Integration): Promise<Discovery> {
  const client = deps.clientFor(integration);
  const call = { traceId: deps.newTraceId() };
  const waiting = { waitsMs: deps.timing.onboardingRetriesMs };
  const [outlets, roles] = await Promise.all([
    readWithRetries(() => client.listOutlets(call), waiting),
    readWithRetries(() => client.listRoles(call), waiting),
  ]);
  if (outlets.kind !== "list") throw asProblem(integration, outlets, "outlets");
  if (roles.kind !== "list") throw asProblem(integration, roles, "roles");
  return transact(deps, async (trx) => {
    await lockUnchangedIntegration(trx, integration);
    const discovery = {
      outlets: (await storeAll(trx, OUTLETS, integration.providerId, outlets.items)).map((each) =>
        viewOfOutlet(each),
      ),
      roles: (await storeAll(trx, ROLES, integration.providerId, roles.items)).map((each) =>
        viewOfRole(each),
      ),
    };
    await refreshWaiting(trx, deps, integration.providerId);
    const faults = [...faultsIn("outlets", outlets.faults), ...faultsIn("roles", roles.faults)];
    return { ...discovery, ...(faults.length > 0 && { faults: faults.slice(0, MOST_FAULTS) }) };
  });
}

const faultsIn = (list: DiscoveryFault["list"], faults: ReadList<unknown>["faults"]): DiscoveryFault[] =>
  faults.map((fault) => ({ list, ...fault }));

function asProblem(integration: Integration, failure: Failure, what: "outlets" | "roles") {
  const call = routingAttemptsText([attemptOf(integration, `/${what}`, failure)]);
  return problem("provider_unavailable", {
    detail: `The provider's ${what} could not be read: ${call}. ${failure.kind === "refused" ? ADVICE : "Try again when the provider responds."}`,
  });
}

/** Returns the entries in the provider's order; if an id is listed twice, the last entry counts. */
async function storeAll(
  trx: Trx,
  list: MappedList,
  providerId: string,
  items: readonly (Outlet | Role)[],
): Promise<Listed[]> {
  const certain = matcher(await readOptions(trx, list));
  const rows = new Map(
    items.map((item) => {
      const address = "address" in item && item.address ? keptName(item.address) : null;
      const entry = { name: keptName(item.name) || item.id, address };
      return [item.id, { id: item.id, ...entry, target: certain(entry) ?? null }];
    }),
  );
  const known = await lockListed(trx, list, providerId);
  const gone = known.flatMap(({ id, target }) => (target === null && !rows.has(id) ? [id] : []));
  if (gone.length > 0) await deleteListed(trx, list, providerId, gone);
  const stored = await storeListed(trx, list, providerId, [...rows.values()]);
  const byId = new Map(stored.map((each) => [each.id, each]));
  return [...rows.keys()].flatMap((id) => byId.get(id) ?? []);
}

export function viewOfOutlet(
  { id, name, address, target }: Listed,
  suggestions: readonly Suggestion[] = [],
): DiscoveredOutlet {
  const suggested = suggestions.map(({ id, ...rest }) => ({ workplaceId: id, ...rest }));
  return {
    outletId: id,
    name,
    address,
    ...(target !== null && { workplaceId: target }),
    suggestions: suggested,
  };
}

export function viewOfRole(
  { id, name, target }: Listed,
  suggestions: readonly Suggestion[] = [],
): DiscoveredRole {
  const suggested = suggestions.map(({ id, ...rest }) => ({ competenceId: id, ...rest }));
  return { roleId: id, name, ...(target !== null && { competenceId: target }), suggestions: suggested };
}

/** What an operator may confirm. */
export interface Suggestion {
  id: string;
  name: string;
  /** 0 to 1. */
  score: number;
}

type Wanted = Omit<Option, "id">;

/**
 * Returns a function that finds the one option that an entry certainly is, which has the same normalised name or the same address. Reads the options once:
 * thousands of outlets are compared with thousands of workplaces.
 */
export function matcher(options: readonly Option[]): (wanted: Wanted) => string | undefined {
  const equal = new Map<string, Set<string>>();
  for (const option of options)
    for (const key of keysOf(option)) equal.set(key, (equal.get(key) ?? new Set()).add(option.id));
  return (wanted) => {
    const [only, another] = new Set(keysOf(wanted).flatMap((key) => [...(equal.get(key) ?? [])]));
    return another === undefined ? only : undefined;
  };
}

/** What two equal ones have in common. */
function keysOf({ name, address }: Wanted): string[] {
  const [ofName, ofAddress] = [normalise(name), normalise(address ?? "")];
  return [ofName && `name ${ofName}`, ofAddress && `address ${ofAddress}`].filter((key) => key !== "");
}

const NOISE = new Set(["ab", "hb", "restaurang"]);

/** Drops case, diacritics, punctuation and noise words. */
function normalise(name: string): string {
  const plain = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "" && !NOISE.has(word));
  return words.join(" ");
}

/** decisions, "mapping suggestions": "Stureplan" and "Sturegatan" score 0.4 and are two places. */
const SIMILAR = 0.5;
const MOST = 3;

/** Returns the most similar options of each entry of a page that is not mapped, the best first; none where the database has no pg_trgm. */
export async function suggestionsFor(
  db: Kysely<Schema>,
  { targets, target }: MappedList,
  page: readonly Listed[],
): Promise<Map<string, Suggestion[]>> {
  const asked = page.flatMap(({ id, name, target }) => (target === null ? [{ entry: id, name }] : []));
  if (asked.length === 0 || !(await hasTrigrams(db))) return new Map();
  const { rows } = await sql<Suggestion & { entry: string }>`
    select entry, id, name, score from (
      select entry, ${sql.ref(target)} as id, known.name, similarity(known.name, asked.name)::float8 as score,
        row_number() over (partition by entry order by similarity(known.name, asked.name) desc, known.name, ${sql.ref(target)}) as place
      from ${jsonRows(asked)} as asked (entry text, name text) join ${sql.table(targets)} as known on known.name % asked.name
      where similarity(known.name, asked.name) >= ${SIMILAR}) as alike
    where place <= ${sql.lit(MOST)} order by entry, place`.execute(db);
  const byEntry = Map.groupBy(rows, ({ entry }) => entry);
  return new Map([...byEntry].map(([entry, of]) => [entry, of.map(({ entry: _, ...each }) => each)]));
}

async function hasTrigrams(db: Kysely<Schema>): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select to_regprocedure('similarity(text, text)') is not null as has`.execute(db);
  return rows[0]?.has === true;
}
