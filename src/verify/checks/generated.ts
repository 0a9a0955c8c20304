import fc, { type Arbitrary } from "fast-check";
import type { Code } from "../codes/codes.ts";
import { creating, type Exercise, ifServed, updating } from "../exercises.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { updateOf } from "../shift.ts";
import { type Exchange, isPlain, isReply, type OperationId, type Probe } from "../target.ts";
import type { Check } from "./check.ts";
import { segments, texts, wrongCreations, wrongUpdates } from "./generated-inputs.ts";
import { wasNotRedirected, wasRefused } from "./wrong-requests.ts";

/** Inputs that nobody thought of, from the run's seed: whatever comes, the answer is never a 5xx (the judge sees it). */
export const generated: Check = { group: "generated", run: generate };

async function* generate(run: Run): AsyncGenerator<Outcome> {
  yield* askFor(run, "findCandidates", 8, texts, (personalNumber) => ({ query: { personalNumber } }));
  yield* askFor(run, "findCandidates", 6, texts, (name) => ({ query: { name } }));
  yield* askFor(run, "getShift", 8, segments, (shiftId) => ({ path: { shiftId } }));
  const title = "generated bodies are refused";
  yield* ifServed(title, await updating(run), (exercise) => sendUpdates(run, exercise));
  yield* ifServed(title, await creating(run), (exercise) => sendCreations(run, exercise));
}

/** The same for the same seed; there is no shrinking, because each step of it would be a request. */
function sample<Value>({ seed }: Run, arbitrary: Arbitrary<Value>, numRuns: number): Value[] {
  return fc.sample(arbitrary, { seed, numRuns });
}

async function* askFor(
  run: Run,
  operation: OperationId,
  count: number,
  arbitrary: Arbitrary<string>,
  probeOf: (text: string) => Partial<Probe>,
): AsyncGenerator<Outcome> {
  const exchanges: Exchange[] = [];
  for (const text of sample(run, arbitrary, count)) {
    exchanges.push(await run.send({ operation, ...probeOf(text) }, wasNotRedirected));
  }
  if (exchanges.every(isUnharmed)) yield passed(operation, "generated text does no harm");
}

const isUnharmed = (exchange: Exchange) => isReply(exchange) && exchange.answer.status < 500;

async function* sendUpdates(run: Run, { probe, undo }: Exercise): AsyncGenerator<Outcome> {
  const { shift } = run.known;
  if (!shift) return;
  const bodies = sample(run, wrongUpdates(updateOf(shift)), 9);
  yield* sendBodies(run, probe, bodies, "invalid_tolerated");
  await undo();
}

function sendCreations(run: Run, { probe }: Exercise): AsyncGenerator<Outcome> {
  return sendBodies(run, probe, sample(run, wrongCreations, 9), "invalid_accepted");
}

/** Stops at the first that is accepted: it is told once, and a creation is for good. */
async function* sendBodies(
  run: Run,
  probe: Probe,
  bodies: readonly object[],
  code: Code,
): AsyncGenerator<Outcome> {
  const exchanges: Exchange[] = [];
  for (const json of bodies) {
    const exchange = await run.send({ ...probe, json }, wasRefused);
    exchanges.push(exchange);
    if (!isPlain(exchange) || exchange.answer.status >= 300) continue;
    const expected = "4xx to a generated body that is not valid";
    return yield found(code, { exchange, expected, actual: `status ${exchange.answer.status}` });
  }
  if (exchanges.every(isUnharmed)) yield passed(probe.operation, "generated bodies are refused");
}
