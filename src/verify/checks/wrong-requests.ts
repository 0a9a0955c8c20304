import { noteCancelled } from "../cancellable-shift.ts";
import { type Exchange, isPlain, isReply, type Probe, type Reply } from "../exchange.ts";
import type { Outcome } from "../finding.ts";
import { type Run, wasServed } from "../run.ts";
import { assertUndisturbed, type Exercise } from "../valid-requests.ts";

/** An exercise's request with one thing wrong. */
export interface Wrong {
  change: Partial<Probe>;
  /** Judges the response. Not called for a response that the judge has reported. */
  verdict: (reply: Reply) => Outcome;
}

/**
 * Sends the exercise with each thing wrong, ready to be served each time, and takes back what was served. Yields the verdicts;
 * returns the refused exchanges, or undefined when one was served.
 * @throws Disturbed when one was served while others try theirs
 */
export async function* sendWrong(
  run: Run,
  exercise: Exercise,
  wrongs: readonly Wrong[],
): AsyncGenerator<Outcome, Reply[] | undefined> {
  await exercise.prepare();
  const exchanges = exercise.isInTurn
    ? await sendInTurn(run, exercise, wrongs)
    : await Promise.all(wrongs.map((wrong) => sendOne(run, exercise, wrong)));
  for (const [index, exchange] of exchanges.entries()) {
    const verdict = isPlain(exchange) && wrongs[index]?.verdict(exchange);
    if (verdict) yield verdict;
  }
  const refused = exchanges.filter(isPlain).filter((exchange) => !wasServed(exchange));
  return exchanges.some(wasServed) ? undefined : refused;
}

async function sendOne(run: Run, { probe, hasEffect }: Exercise, { change }: Wrong): Promise<Exchange> {
  const exchange = await run.send({ ...probe, ...change }, wasRefused);
  if (hasEffect) assertUndisturbed(run, exchange);
  return exchange;
}

/** A cancellation is for good: nothing more can be tried with it. */
async function sendInTurn(run: Run, exercise: Exercise, wrongs: readonly Wrong[]): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const wrong of wrongs) {
    const exchange = await sendOne(run, exercise, wrong);
    exchanges.push(exchange);
    if (!wasServed(exchange)) continue;
    if (noteCancelled(run, exchange)) break;
    await exercise.undo();
    await exercise.prepare();
  }
  return exchanges;
}

/**
 * Sends what cannot be right to an operation. Where one that is served changes something it is taken back before the next one; a creation
 * is for good: after one that is served none are sent.
 * @throws Disturbed when one was served while others try theirs
 */
export async function sendAll<Item>(
  run: Run,
  { operation, isInTurn, hasEffect, undo }: Pick<Exercise, "operation" | "isInTurn" | "hasEffect" | "undo">,
  items: readonly Item[],
  probeOf: (item: Item) => Probe,
): Promise<[Item, Exchange][]> {
  const send = async (item: Item): Promise<[Item, Exchange]> => {
    const exchange = await run.send(probeOf(item), wasRefused);
    if (hasEffect) assertUndisturbed(run, exchange);
    return [item, exchange];
  };
  const isCreation = operation === "createCandidate";
  if (!isInTurn && !isCreation) return Promise.all(items.map(send));
  const sent: [Item, Exchange][] = [];
  for (const item of items) {
    const one = await send(item);
    sent.push(one);
    if (!isReply(one[1]) || one[1].answer.status >= 300) continue;
    if (isCreation) break;
    await undo();
  }
  return sent;
}

/** A provider that takes nonsense may echo it: the answer to it is judged only when it is none of success. */
export function wasRefused(exchange: Exchange): boolean {
  return !isReply(exchange) || exchange.answer.status >= 300;
}

/** Some servers send odd paths on to a tidy form of them before the provider has a say: no platform would ask for one. */
export function wasNotRedirected(exchange: Exchange): boolean {
  return !isReply(exchange) || exchange.answer.status < 300 || exchange.answer.status >= 400;
}
