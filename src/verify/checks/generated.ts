import fc, { type Arbitrary } from "fast-check";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain, isReply, type OperationId, type Probe } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import { serverError } from "../judge/judge.ts";
import type { Run } from "../run.ts";
import type { ValidRequest } from "../valid-requests.ts";
import type { Check } from "./check.ts";
import { checkCreations, checkUpdates } from "./each-operation.ts";
import { segments, texts, wrongCreations, wrongUpdates } from "./generated-inputs.ts";
import { sendAll, wasNotRedirected, wasRefused } from "./wrong-requests.ts";

/**
 * Sends random inputs from the seed of the run, in addition to the fixed ones of the other checks. The seed is fixed unless one is
 * given, so that two runs have the same verdict. A 5xx is reported for the smallest input that causes it.
 */
export const generated: readonly Check[] = [
  { group: "generated", needs: [], run: generateTexts },
  checkUpdates("generated", "generated bodies are refused", sendUpdates),
  checkCreations("generated", "generated bodies are refused", (run, request) =>
    sendBodies(run, request, wrongCreations, "invalid_accepted"),
  ),
];

async function* generateTexts(run: Run): AsyncGenerator<Outcome> {
  yield* askFor(run, "findCandidates", texts, (personalNumber) => ({ query: { personalNumber } }));
  yield* askFor(run, "findCandidates", texts, (name) => ({ query: { name } }));
  yield* askFor(run, "getShift", segments, (shiftId) => ({ path: { shiftId } }));
}

async function* askFor(
  run: Run,
  operation: OperationId,
  arbitrary: Arbitrary<string>,
  probeOf: (text: string) => Partial<Probe>,
): AsyncGenerator<Outcome> {
  const send: Send<string> = (inputs, isJudged) =>
    Promise.all(inputs.map((text) => run.send({ operation, ...probeOf(text) }, isJudged)));
  const exchanges = await send(sample(run, arbitrary), (each) => wasNotRedirected(each) && !isFailure(each));
  yield* reportSmallest(run, arbitrary, { exchanges, send });
  if (exchanges.every(isUnharmed)) yield passed(operation, "generated text causes no server error");
}

async function* sendUpdates(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  if (request.unchanged)
    yield* sendBodies(run, request, wrongUpdates(request.unchanged), "invalid_tolerated");
}

async function* sendBodies(
  run: Run,
  request: ValidRequest,
  arbitrary: Arbitrary<object>,
  code: Code,
): AsyncGenerator<Outcome> {
  const send: Send<object> = async (bodies, isJudged) => {
    const sent = await sendAll(run, request, bodies, (json) => ({ ...request.probe, json }), isJudged);
    return sent.map(([, exchange]) => exchange);
  };
  const exchanges = await send(sample(run, arbitrary), (each) => wasRefused(each) && !isFailure(each));
  yield* reportSmallest(run, arbitrary, { exchanges, send });
  const exchange = exchanges.filter(isPlain).find(({ answer }) => answer.status < 300);
  if (exchange) {
    const expected = "4xx for an invalid generated body";
    yield found(code, { exchange, expected, actual: `status ${exchange.answer.status}` });
  } else if (exchanges.every(isUnharmed)) yield passed(request.operation, "generated bodies are refused");
}

/** Sends each input. @param isJudged excludes responses from the judge */
type Send<Input> = (
  inputs: readonly Input[],
  isJudged: (exchange: Exchange) => boolean,
) => Promise<readonly Exchange[]>;

const isFailure = (exchange: Exchange) => isReply(exchange) && exchange.answer.status >= 500;
const isUnharmed = (exchange: Exchange) => isReply(exchange) && !isFailure(exchange);

/** Returns the same values for the same seed. */
function sample<Value>({ seed, runs: numRuns }: Run, arbitrary: Arbitrary<Value>): Value[] {
  return fc.sample(arbitrary, { seed, numRuns });
}

/** Requests to find the smallest input. */
const MOST_SHRINKING = 60;

/** Reports a 5xx with the smallest input for which the provider still fails, or else the first failure. */
async function* reportSmallest<Input>(
  { seed, runs: numRuns }: Run,
  arbitrary: Arbitrary<Input>,
  { exchanges, send }: { exchanges: readonly Exchange[]; send: Send<Input> },
): AsyncGenerator<Outcome> {
  let exchange = exchanges.filter(isReply).find(isFailure);
  if (!exchange) return;
  let left = MOST_SHRINKING;
  const isHandled = fc.asyncProperty(arbitrary, async (input) => {
    left -= 1;
    if (left < 0) return true;
    const failure = (await send([input], isUnharmed)).filter(isReply).find(isFailure);
    // The search goes on from this input, so the last failure is the smallest.
    exchange = failure ?? exchange;
    return failure === undefined;
  });
  await fc.check(isHandled, { seed, numRuns });
  yield serverError(exchange);
}
