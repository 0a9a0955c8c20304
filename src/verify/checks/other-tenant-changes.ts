import { isAssigned, takeOff } from "../assignment.ts";
import { noteCancelled } from "../cancellable-shift.ts";
import { type Exchange, isPlain, type Probe } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import { isUuid } from "../made-up-ids.ts";
import type { OtherTenant } from "../options.ts";
import { type Run, wasServed } from "../run.ts";
import { assertUndisturbed, type Exercise, ifServed } from "../valid-requests.ts";
import { rowsOf } from "./response-rows.ts";
import { wasRefused } from "./wrong-requests.ts";

const TITLE = "no other organisation changes the shift";

/**
 * The other organisation tries to change the shifts. Only effects are reported: an acknowledgement alone may be for a shift of its
 * own, or for none. Ids that are no UUIDs may be those of its own shifts, which must be left alone.
 */
export async function* tryChanges(run: Run, exercise: Exercise, other: OtherTenant): AsyncGenerator<Outcome> {
  const { hasEffect, probe } = exercise;
  if (!hasEffect || !isUuid(probe.path?.shiftId ?? "")) return;
  yield* ifServed(TITLE, exercise, async function* (served) {
    await served.prepare();
    try {
      const exchange = await firstOf(run, [
        () => tryAs(run, { ...served, hasEffect }, other),
        () => tryWithTheirs(run, probe, other),
      ]);
      yield exchange ? shared(exchange) : passed(probe.operation, TITLE);
    } finally {
      await served.undo();
    }
  });
}

/** One after another, unless nothing can take effect unseen. */
async function firstOf(
  run: Run,
  tries: readonly (() => Promise<Exchange | undefined>)[],
): Promise<Exchange | undefined> {
  if (run.arranged)
    return (await Promise.all(tries.map((each) => each()))).find((each) => each !== undefined);
  for (const each of tries) {
    const exchange = await each();
    if (exchange) return exchange;
  }
  return undefined;
}

function shared(exchange: Exchange): Outcome {
  const actual = "it is acknowledged, and the shift is changed";
  return found("tenant_shared", { exchange, expected: "4xx to another organisation's call", actual });
}

/** Tries as the other organisation, and with its token alone. Returns the call that took effect. */
async function tryAs(
  run: Run,
  { probe, hasEffect }: Exercise & { hasEffect: NonNullable<Exercise["hasEffect"]> },
  { providerId, token }: OtherTenant,
): Promise<Exchange | undefined> {
  const authorization = `Bearer ${token}`;
  const changes = [{ providerId, authorization }, { authorization }];
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

/** A provider may refuse our candidate to them, and not our shift: with a candidate of theirs it shows. They are taken off at once. */
async function tryWithTheirs(run: Run, probe: Probe, other: OtherTenant): Promise<Exchange | undefined> {
  const { shiftId } = probe.path ?? {};
  if (probe.operation !== "assignCandidate" || shiftId === undefined) return undefined;
  const asOther = { providerId: other.providerId, authorization: `Bearer ${other.token}` };
  const candidateId = await theirCandidate(run, asOther);
  if (candidateId === undefined) return undefined;
  const seat = { shiftId, candidateId };
  if ((await isAssigned(run, seat)) !== false) return undefined;
  const exchange = await run.send({ ...probe, ...asOther, path: seat }, wasRefused);
  if (!wasServed(exchange) || !(await isAssigned(run, seat))) return undefined;
  assertUndisturbed(run, exchange);
  await takeOff(run, seat);
  return exchange;
}

async function theirCandidate(run: Run, asOther: Partial<Probe>): Promise<string | undefined> {
  const registry = await run.send({ operation: "getCandidateRegistry", ...asOther }, wasRefused);
  const id = isPlain(registry) ? rowsOf(registry)[0]?.id : undefined;
  return typeof id === "string" && isUuid(id) ? id : undefined;
}
