import { isPlain, type Probe, type Reply } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import { type Run, sendOnce, wasServed } from "../run.ts";
import { ifServed, type ValidRequest, validRequestFor } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { checkEach, READS } from "./each-operation.ts";
import { rowsOf } from "./response-facts.ts";
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
