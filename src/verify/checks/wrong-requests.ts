import { type Exercise, wasServed } from "../exercises.ts";
import type { Outcome } from "../finding.ts";
import type { Run } from "../run.ts";
import { type Exchange, isPlain, isReply, type Probe, type Reply } from "../target.ts";

/** An exercise's request with one thing wrong. */
export interface Wrong {
  change: Partial<Probe>;
  /** What a provider is asked for here. Not called for an answer that the judge has told of. */
  verdict: (reply: Reply) => Outcome;
}

/**
 * Sends the exercise with each thing wrong in turn, ready to be served each time, and takes back what was served. Yields the verdicts;
 * answers with the refused exchanges, or undefined when one was served.
 */
export async function* sendWrong(
  run: Run,
  exercise: Exercise,
  wrongs: readonly Wrong[],
): AsyncGenerator<Outcome, Reply[] | undefined> {
  const refused: Reply[] = [];
  let isServed = false;
  await exercise.prepare();
  for (const { change, verdict } of wrongs) {
    const exchange = await run.send({ ...exercise.probe, ...change }, wasRefused);
    if (isPlain(exchange)) yield verdict(exchange);
    if (isPlain(exchange) && !wasServed(exchange)) refused.push(exchange);
    if (!wasServed(exchange)) continue;
    isServed = true;
    if (noteCancelled(run, exchange)) return undefined;
    await exercise.undo();
    await exercise.prepare();
  }
  return isServed ? undefined : refused;
}

/** A cancellation is for good: nothing more can be tried with it. */
function noteCancelled(run: Run, { probe }: Exchange): boolean {
  if (probe.operation === "cancelShift") run.known.cancelled = true;
  return probe.operation === "cancelShift";
}

/** A provider that takes nonsense may echo it: the answer to it is judged only when it is none of success. */
export function wasRefused(exchange: Exchange): boolean {
  return !isReply(exchange) || exchange.answer.status >= 300;
}

/** Some servers send odd paths on to a tidy form of them before the provider has a say: no platform would ask for one. */
export function wasNotRedirected(exchange: Exchange): boolean {
  return !isReply(exchange) || exchange.answer.status < 300 || exchange.answer.status >= 400;
}
