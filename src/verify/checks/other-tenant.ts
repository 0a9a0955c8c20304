import { isUuid } from "../../contract/uuid.ts";
import { type Exchange, isPlain, type OperationId, type Probe } from "../exchange.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import type { OtherTenant } from "../options.ts";
import { type Run, sendOnce, wasServed } from "../run.ts";
import { ifServed, type ValidRequest, validRequestFor } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { answersTo, checkEach, READS } from "./each-operation.ts";
import { asOther, tryChanges } from "./other-tenant-changes.ts";
import { rowsOf } from "./response-facts.ts";

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
  yield* ifServed(TITLE, request, async function* (served) {
    yield* swap(run, served, other);
    yield* compareRows(run, served, other);
  });
}

const TITLE = "two organisations are isolated";

async function* skipWithoutOther(run: Run): AsyncGenerator<Outcome> {
  if (!run.other) {
    const reason = "no other organisation: provide --other-provider-id and --other-token";
    yield skipped("skipped_not_prepared", "provider", TITLE, reason);
  } else if (!(await isOtherServed(run, run.other))) {
    const reason = "the other organisation is not served with its own token";
    yield skipped("skipped_after_failure", "provider", TITLE, reason);
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
  yield skipped("skipped_not_visible", operation, TITLE, reason);
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
