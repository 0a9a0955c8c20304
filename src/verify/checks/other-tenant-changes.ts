import { isUuid } from "../../contract/uuid.ts";
import { isAssigned, remove } from "../assignment.ts";
import { noteCancelled } from "../cancellable-shift.ts";
import { type Exchange, isPlain, type Probe } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { OtherTenant } from "../options.ts";
import { type Run, wasServed } from "../run.ts";
import { assertUndisturbed, ifServed, type ValidRequest } from "../valid-requests.ts";
import { rowsOf } from "./response-facts.ts";
import { wasRefused } from "./wrong-requests.ts";

export const asOther = ({ providerId, token }: OtherTenant) => ({
  providerId,
  authorization: `Bearer ${token}`,
});

const TITLE = "no other organisation changes the shift";

/**
 * Tries to change the shifts as the other organisation. Only effects are reported, because an acknowledgement may be for another shift.
 * Ids other than UUIDs are skipped: they may be ids of the other organisation's own shifts.
 */
export async function* tryChanges(
  run: Run,
  request: ValidRequest,
  other: OtherTenant,
): AsyncGenerator<Outcome> {
  const { hasEffect, probe } = request;
  if (!hasEffect || !isUuid(probe.path?.shiftId ?? "")) return;
  yield* ifServed(TITLE, request, async function* (served) {
    await served.prepare();
    try {
      const exchange = await firstOf(run, [
        () => tryAs(run, { ...served, hasEffect }, other),
        () => assignAsOther(run, probe, other),
      ]);
      const expected = "4xx for another organisation's call";
      yield exchange
        ? found("tenant_shared", { exchange, expected, actual: "it is acknowledged, and the shift changes" })
        : passed(probe.operation, TITLE);
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
