import { type Exercise, ifServed, wasServed } from "../exercises.ts";
import { found, type Outcome, passed } from "../finding.ts";
import { isUuid } from "../ids.ts";
import type { OtherTenant } from "../options.ts";
import type { Run } from "../run.ts";
import { isAssigned, takeOff } from "../seat.ts";
import { type Exchange, isPlain, type Probe } from "../target.ts";
import { rowsOf } from "./rows.ts";
import { wasRefused } from "./wrong-requests.ts";

const TITLE = "no other organisation changes the shift";

/**
 * The other organisation tries to change our shifts. Only what took effect is told of: an acknowledgement alone may be for a shift of its
 * own, or for none. Ids that are no UUIDs may be those of its own shifts, which must be left alone.
 */
export async function* tryChanges(run: Run, exercise: Exercise, other: OtherTenant): AsyncGenerator<Outcome> {
  const { hasEffect, probe } = exercise;
  if (!hasEffect || !isUuid(probe.path?.shiftId ?? "")) return;
  yield* ifServed(TITLE, exercise, async function* (served) {
    await served.prepare();
    try {
      const exchange =
        (await tryAs(run, { ...served, hasEffect }, other)) ?? (await tryWithTheirs(run, probe, other));
      yield exchange ? shared(exchange) : passed(probe.operation, TITLE);
    } finally {
      if (!run.known.cancelled) await served.undo();
    }
  });
}

function shared(exchange: Exchange): Outcome {
  const actual = "it is acknowledged, and the shift is changed";
  return found("tenant_shared", { exchange, expected: "4xx to another organisation's call", actual });
}

/** As the other organisation, and with its token alone. Answers with the call that took effect. */
async function tryAs(
  run: Run,
  { probe, hasEffect }: Exercise & { hasEffect: NonNullable<Exercise["hasEffect"]> },
  { providerId, token }: OtherTenant,
): Promise<Exchange | undefined> {
  const authorization = `Bearer ${token}`;
  for (const change of [{ providerId, authorization }, { authorization }]) {
    const exchange = await run.send({ ...probe, ...change }, wasRefused);
    if (!wasServed(exchange) || !(await hasEffect())) continue;
    if (probe.operation === "cancelShift") run.known.cancelled = true;
    return exchange;
  }
  return undefined;
}

/** A provider may refuse our candidate to them, and not our shift: with a candidate of theirs it shows. They are taken off at once. */
async function tryWithTheirs(run: Run, probe: Probe, other: OtherTenant): Promise<Exchange | undefined> {
  const { shiftId } = probe.path ?? {};
  if (probe.operation !== "assignCandidate" || shiftId === undefined) return undefined;
  const asOther = { providerId: other.providerId, authorization: `Bearer ${other.token}` };
  const registry = await run.send({ operation: "getCandidateRegistry", ...asOther }, wasRefused);
  const candidateId = isPlain(registry) ? rowsOf(registry)[0]?.id : undefined;
  if (typeof candidateId !== "string" || !isUuid(candidateId)) return undefined;
  const seat = { shiftId, candidateId };
  if ((await isAssigned(run, seat)) !== false) return undefined;
  const exchange = await run.send({ ...probe, ...asOther, path: seat }, wasRefused);
  if (!wasServed(exchange) || !(await isAssigned(run, seat))) return undefined;
  await takeOff(run, seat);
  return exchange;
}
