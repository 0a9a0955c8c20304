import fc, { type Arbitrary } from "fast-check";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain, isReply, type OperationId, type Probe } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import type { Run } from "../run.ts";
import { creationRequest, ifServed, updateRequest, type ValidRequest } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { segments, texts, wrongCreations, wrongUpdates } from "./generated-inputs.ts";
import { sendAll, wasNotRedirected } from "./wrong-requests.ts";

/** Sends random inputs from the seed of the run. The judge reports any 5xx. */
export const generated: readonly Check[] = [
  { group: "generated", needs: [], run: generateTexts },
  {
    group: "generated",
    needs: ["update", "settled"],
    rejection: true,
    run: (run) => ifValidServed(run, updateRequest, sendUpdates),
  },
  {
    group: "generated",
    needs: ["person"],
    holds: { people: "adds" },
    run: (run) => ifValidServed(run, creationRequest, sendCreations),
  },
];

async function* generateTexts(run: Run): AsyncGenerator<Outcome> {
  yield* askFor(run, "findCandidates", 8, texts, (personalNumber) => ({ query: { personalNumber } }));
  yield* askFor(run, "findCandidates", 6, texts, (name) => ({ query: { name } }));
  yield* askFor(run, "getShift", 8, segments, (shiftId) => ({ path: { shiftId } }));
}

async function* ifValidServed(
  run: Run,
  requestFor: typeof updateRequest,
  send: (run: Run, request: ValidRequest) => AsyncIterable<Outcome>,
): AsyncGenerator<Outcome> {
  const title = "generated bodies are refused";
  yield* ifServed(title, await requestFor(run), (request) => send(run, request));
}

/** Returns the same values for the same seed. There is no shrinking, because each step would be a request. */
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
  if (exchanges.every(isUnharmed)) yield passed(operation, "generated text causes no server error");
}

const isUnharmed = (exchange: Exchange) => isReply(exchange) && exchange.answer.status < 500;

function sendUpdates(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  const bodies = request.unchanged ? sample(run, wrongUpdates(request.unchanged), 9) : [];
  return sendBodies(run, request, bodies, "invalid_tolerated");
}

function sendCreations(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  return sendBodies(run, request, sample(run, wrongCreations, 9), "invalid_accepted");
}

async function* sendBodies(
  run: Run,
  request: ValidRequest,
  bodies: readonly object[],
  code: Code,
): AsyncGenerator<Outcome> {
  const answered = await sendAll(run, request, bodies, (json) => ({ ...request.probe, json }));
  const exchanges = answered.map(([, exchange]) => exchange);
  const exchange = exchanges.filter(isPlain).find(({ answer }) => answer.status < 300);
  if (exchange) {
    const expected = "4xx for an invalid generated body";
    yield found(code, { exchange, expected, actual: `status ${exchange.answer.status}` });
  } else if (exchanges.every(isUnharmed)) yield passed(request.operation, "generated bodies are refused");
}
