import { isUuid } from "../../contract/uuid.ts";
import { isAssigned, remove } from "../assignment.ts";
import { noteCancelled } from "../cancellable-shift.ts";
import { type Exchange, isPlain, type OperationId, type Probe, type Reply } from "../exchange.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import type { OtherTenant } from "../options.ts";
import { type Run, sendOnce, wasServed } from "../run.ts";
import { assertUndisturbed, ifServed, type ValidRequest, validRequestFor } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { answersTo, checkEach, READS } from "./each-operation.ts";
import { rowsOf } from "./steady-reads.ts";
import { sendWrong, type Wrong, wasRefused } from "./wrong-requests.ts";

/** Every operation checks the providerId (contract 5, provider obligation 2), and returns data of that organisation only. */
export const tenants = checkEach("tenants", async function* (run, operation) {
  const request = await validRequestFor(run, operation);
  yield* ifServed(TITLE, request, (served) => tryProviderIds(run, served));
  if ("probe" in request && READS.includes(operation)) yield* checkRowTenants(run, request);
});

const TITLE = "only the token's own providerId is accepted";

/**
 * Sends two different providerIds in the two headers. A provider that reads only one of them does not see the difference; one that
 * accepts either must refuse it, whichever header has the token's organisation.
 */
export const tenantConflict: Check = { group: "tenants", needs: [], run: sendBothHeaders };

async function* sendBothHeaders(run: Run): AsyncGenerator<Outcome> {
  if (run.target.routing !== "header" || run.isPolite) return;
  const [own, other] = [run.target.options.providerId, run.madeUp("provider of the other header")];
  const send = (headers: Probe["headers"] & {}) =>
    run.send({ operation: "listOutlets", providerId: null, headers }, wasRefused);
  const alone = await Promise.all([send({ [FIRST]: own }), send({ [SECOND]: own })]);
  const both = await Promise.all([
    send({ [FIRST]: own, [SECOND]: other }),
    send({ [FIRST]: other, [SECOND]: own }),
  ]);
  if (![...alone, ...both].every(isPlain)) return;
  const [exchange, again] = both.filter(wasServed);
  const expected = "400 for two headers with different organisations";
  const actual = again
    ? "served, whichever header has the token's organisation"
    : "served, though each of the two headers is accepted alone";
  yield exchange && (again || alone.every(wasServed))
    ? found("tenant_conflict", { exchange, expected, actual })
    : passed("listOutlets", "two headers with different organisations are not accepted");
}

const [FIRST, SECOND] = ["X-Provider-Id", "X-Platform-Provider-Id"] as const;

async function* tryProviderIds(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  try {
    yield* sendWrong(run, request, wrongIds(run, request));
  } finally {
    await request.undo();
  }
}

function wrongIds(run: Run, request: ValidRequest): Wrong[] {
  const { operation } = request;
  const unknown = wrong("an unknown providerId", { providerId: run.madeUp("provider") }, [401, 403, 404]);
  const malformed = wrong("a providerId that is not a UUID", { providerId: "not-a-uuid" });
  const none = wrong("a request without a providerId", { providerId: null });
  if (run.isPolite) return [unknown];
  return [
    unknown,
    ...(operation === "getShift" || operation === "listOutlets" ? [malformed] : []),
    ...(run.target.routing === "header" ? [none] : []),
  ];
}

/** @param usual expected statuses; any 4xx by default */
function wrong(name: string, change: Partial<Probe>, usual?: readonly number[]): Wrong {
  return {
    change,
    verdict: (exchange: Reply) => {
      const { status } = exchange.answer;
      const expected = `${usual?.join(", ") ?? "4xx"} for ${name}`;
      const actual = `status ${status}`;
      if (wasServed(exchange)) return found("tenant_ignored", { exchange, expected, actual });
      if (usual && !usual.includes(status)) return found("tenant_status", { exchange, expected, actual });
      return passed(exchange.probe.operation, `${name} is refused`);
    },
  };
}

/** Checks the providerId of rows, which some providers include. */
async function* checkRowTenants(run: Run, { probe }: ValidRequest): AsyncGenerator<Outcome> {
  const exchange = await sendOnce(run, probe);
  if (!isPlain(exchange)) return;
  const own = run.target.options.providerId.toLowerCase();
  const isForeign = ({ providerId }: { providerId?: unknown }) =>
    typeof providerId === "string" && providerId.toLowerCase() !== own;
  if (!rowsOf(exchange).some(isForeign)) return;
  const expected = "rows of the requested organisation";
  yield found("tenant_shared", { exchange, expected, actual: "a row with another providerId" });
}

/** Neither token gives access to the data of the other organisation. */
export const otherTenant = [
  { group: "tenants", needs: [], run: skipWithoutOther } satisfies Check,
  ...checkEach("tenants", isolate, "first"),
];

async function* isolate(run: Run, operation: OperationId): AsyncGenerator<Outcome> {
  const { other } = run;
  if (!other || !(await isOtherServed(run, other))) return;
  const request = await validRequestFor(run, operation);
  if ("reason" in request) return;
  if (!READS.includes(operation)) return yield* tryChanges(run, request, other);
  yield* ifServed(ISOLATED, request, async function* (served) {
    yield* swap(run, served, other);
    yield* compareRows(run, served, other);
  });
}

const ISOLATED = "two organisations are isolated";

async function* skipWithoutOther(run: Run): AsyncGenerator<Outcome> {
  if (!run.other) {
    const reason = "no other organisation: provide --other-provider-id and --other-token";
    yield skipped("skipped_not_prepared", "provider", ISOLATED, reason);
  } else if (!(await isOtherServed(run, run.other))) {
    const reason = "the other organisation is not served with its own token";
    yield skipped("skipped_after_failure", "provider", ISOLATED, reason);
  }
}

/** Whether the other organisation is served; requested once in a run. */
function isOtherServed(run: Run, other: OtherTenant): Promise<boolean> {
  run.known.isOtherServed ??= run.send({ operation: "listOutlets", ...asOther(other) }).then(wasServed);
  return run.known.isOtherServed;
}

/** Combines the token of one organisation with the providerId of the other. */
async function* swap(run: Run, { probe }: ValidRequest, other: OtherTenant): AsyncGenerator<Outcome> {
  const { providerId, authorization } = asOther(other);
  const swaps: [string, Probe][] = [
    ["the token with another organisation's providerId", { ...probe, providerId }],
    ["another organisation's token with the providerId", { ...probe, authorization }],
  ];
  for (const [name, exchange] of await answersTo(run, swaps)) {
    const { status } = exchange.answer;
    const details = { exchange, expected: `401, 403 or 404 for ${name}`, actual: `status ${status}` };
    if (wasServed(exchange)) yield found("tenant_shared", details);
    else if ([401, 403, 404].includes(status)) yield passed(probe.operation, `${name} is refused`);
    else yield found("tenant_status", details);
  }
}

/** Compares the data of both organisations, each read with its own providerId and token. */
async function* compareRows(
  run: Run,
  { operation, probe }: ValidRequest,
  other: OtherTenant,
): AsyncGenerator<Outcome> {
  // Organisations may share roles.
  if (operation === "listRoles") return;
  const [own, exchange] = await Promise.all([
    sendOnce(run, probe),
    run.send({ ...probe, ...asOther(other) }),
  ]);
  if (!isPlain(own) || !isPlain(exchange)) return;
  const actual = operation === "getShift" ? "the shift" : "an id that the other organisation has as well";
  const expected = "no data of another organisation";
  const shared = sharedOf(own, exchange);
  if (shared === "shared") return yield found("tenant_shared", { exchange, expected, actual });
  if (shared === "apart") return yield passed(operation, "another organisation's data is not shown");
  const reason = "both have the same rows, with ids that each organisation may count separately";
  yield skipped("skipped_not_visible", operation, ISOLATED, reason);
}

/** Returns whether rows are shared. Organisations may count ids separately: without UUIDs, only a partial overlap is proof. */
function sharedOf(own: Exchange, other: Exchange): "shared" | "apart" | "unclear" {
  const [keys, others] = [own, other].map((each) => new Set(rowsOf(each).map(keyOf)));
  const common = [...(keys ?? [])].filter((key) => others?.has(key));
  if (common.length === 0) return "apart";
  if (common.some((key) => isUuid(key))) return "shared";
  return common.length === keys?.size && common.length === others?.size && own.probe.operation !== "getShift"
    ? "unclear"
    : "shared";
}

function keyOf({ id, name, personalNumber, startTime, outletId }: Readonly<Record<string, unknown>>): string {
  if (typeof id === "string" && isUuid(id)) return id.toLowerCase();
  return JSON.stringify([id, name, personalNumber, startTime, outletId]);
}

const asOther = ({ providerId, token }: OtherTenant) => ({
  providerId,
  authorization: `Bearer ${token}`,
});

const UNCHANGED_BY_OTHERS = "no other organisation changes the shift";

/**
 * Tries to change the shifts as the other organisation. Only effects are reported, because an acknowledgement may be for another shift.
 * Ids other than UUIDs are skipped: they may be ids of the other organisation's own shifts.
 */
async function* tryChanges(run: Run, request: ValidRequest, other: OtherTenant): AsyncGenerator<Outcome> {
  const { hasEffect, probe } = request;
  if (!hasEffect || !isUuid(probe.path?.shiftId ?? "")) return;
  yield* ifServed(UNCHANGED_BY_OTHERS, request, async function* (served) {
    await served.prepare();
    try {
      const exchange = await firstOf(run, [
        () => tryAs(run, { ...served, hasEffect }, other),
        () => assignAsOther(run, probe, other),
      ]);
      const expected = "4xx for another organisation's call";
      yield exchange
        ? found("tenant_shared", { exchange, expected, actual: "it is acknowledged, and the shift changes" })
        : passed(probe.operation, UNCHANGED_BY_OTHERS);
    } finally {
      await served.undo();
    }
  });
}

/** Returns the first exchange with an effect. The attempts run concurrently only if every effect is detected. */
async function firstOf(
  run: Run,
  tries: readonly (() => Promise<Exchange | undefined>)[],
): Promise<Exchange | undefined> {
  if (run.shared) return (await Promise.all(tries.map((each) => each()))).find((each) => each !== undefined);
  for (const each of tries) {
    const exchange = await each();
    if (exchange) return exchange;
  }
  return undefined;
}

/** Tries as the other organisation, and with its token alone. Returns the exchange that took effect. */
async function tryAs(
  run: Run,
  { probe, hasEffect }: ValidRequest & { hasEffect: NonNullable<ValidRequest["hasEffect"]> },
  other: OtherTenant,
): Promise<Exchange | undefined> {
  const { authorization } = asOther(other);
  const changes = [asOther(other), { authorization }];
  return firstOf(
    run,
    changes.map((change) => async () => {
      const exchange = await run.send({ ...probe, ...change }, wasRefused);
      if (!wasServed(exchange) || !(await hasEffect())) return undefined;
      noteCancelled(run, exchange);
      return exchange;
    }),
  );
}

/** Assigns a candidate of the other organisation, because a provider may check only the candidate. Unassigns it at once. */
async function assignAsOther(run: Run, probe: Probe, other: OtherTenant): Promise<Exchange | undefined> {
  const { shiftId } = probe.path ?? {};
  if (probe.operation !== "assignCandidate" || shiftId === undefined) return undefined;
  const registry = await run.send({ operation: "getCandidateRegistry", ...asOther(other) }, wasRefused);
  const candidateId = isPlain(registry) ? rowsOf(registry)[0]?.id : undefined;
  if (typeof candidateId !== "string" || !isUuid(candidateId)) return undefined;
  const pair = { shiftId, candidateId };
  if ((await isAssigned(run, pair)) !== false) return undefined;
  const exchange = await run.send({ ...probe, ...asOther(other), path: pair }, wasRefused);
  if (!wasServed(exchange) || !(await isAssigned(run, pair))) return undefined;
  assertUndisturbed(run, exchange);
  await remove(run, pair);
  return exchange;
}
