import fc, { type Arbitrary } from "fast-check";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain, isReply, type OperationId, type Probe } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { creating, type Exercise, ifServed, updating } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { segments, texts, wrongCreations, wrongUpdates } from "./generated-inputs.ts";
import { sendAll, wasNotRedirected } from "./wrong-requests.ts";

/** Random inputs from the seed of the run: the response must never be a 5xx, which the judge reports. */
export const generated: readonly Check[] = [
  { group: "generated", needs: [], run: generateTexts },
  {
    group: "generated",
    needs: ["update", "settled"],
    tries: true,
    run: (run) => ifExercised(run, updating, sendUpdates),
  },
  {
    ...{ group: "generated", needs: ["person"], holds: { people: "adds" } },
    run: (run) => ifExercised(run, creating, sendCreations),
  },
];

async function* generateTexts(run: Run): AsyncGenerator<Outcome> {
  yield* askFor(run, "findCandidates", 8, texts, (personalNumber) => ({ query: { personalNumber } }));
  yield* askFor(run, "findCandidates", 6, texts, (name) => ({ query: { name } }));
  yield* askFor(run, "getShift", 8, segments, (shiftId) => ({ path: { shiftId } }));
}

async function* ifExercised(
  run: Run,
  exercising: typeof updating,
  send: (run: Run, exercise: Exercise) => AsyncIterable<Outcome>,
): AsyncGenerator<Outcome> {
  const title = "generated bodies are refused";
  yield* ifServed(title, await exercising(run), (exercise) => send(run, exercise));
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
  const exchanges = await Promise.all(
    sample(run, arbitrary, count).map((text) => run.send({ operation, ...probeOf(text) }, wasNotRedirected)),
  );
  if (exchanges.every(isUnharmed)) yield passed(operation, "generated text does no harm");
}

const isUnharmed = (exchange: Exchange) => isReply(exchange) && exchange.answer.status < 500;

function sendUpdates(run: Run, exercise: Exercise): AsyncGenerator<Outcome> {
  const bodies = exercise.unchanged ? sample(run, wrongUpdates(exercise.unchanged), 9) : [];
  return sendBodies(run, exercise, bodies, "invalid_tolerated");
}

function sendCreations(run: Run, exercise: Exercise): AsyncGenerator<Outcome> {
  return sendBodies(run, exercise, sample(run, wrongCreations, 9), "invalid_accepted");
}

async function* sendBodies(
  run: Run,
  exercise: Exercise,
  bodies: readonly object[],
  code: Code,
): AsyncGenerator<Outcome> {
  const answered = await sendAll(run, exercise, bodies, (json) => ({ ...exercise.probe, json }));
  const exchanges = answered.map(([, exchange]) => exchange);
  const exchange = exchanges.filter(isPlain).find(({ answer }) => answer.status < 300);
  if (exchange) {
    const expected = "4xx to a generated body that is not valid";
    yield found(code, { exchange, expected, actual: `status ${exchange.answer.status}` });
  } else if (exchanges.every(isUnharmed)) yield passed(exercise.operation, "generated bodies are refused");
}
