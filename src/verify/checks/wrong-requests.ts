import { noteCancelled } from "../cancellable-shift.ts";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain, isReply, type Probe, type Reply } from "../exchange.ts";
import { found, type Outcome, passed } from "../finding.ts";
import { type Run, wasServed } from "../run.ts";
import { assertUndisturbed, type ValidRequest } from "../valid-requests.ts";

export interface Wrong {
  change: Partial<Probe>;
  /** Judges the response, unless the judge has reported it. */
  verdict: (reply: Reply) => Outcome;
}

/**
 * Sends the request with each error, and undoes every effect. Yields the verdicts. Returns the refused exchanges, or undefined if one
 * was served.
 * @throws Interference when one was served during concurrent tests
 */
export async function* sendWrong(
  run: Run,
  request: ValidRequest,
  wrongs: readonly Wrong[],
): AsyncGenerator<Outcome, Reply[] | undefined> {
  await request.prepare();
  const exchanges = request.isSequential
    ? await sendInTurn(run, request, wrongs)
    : await Promise.all(wrongs.map((wrong) => sendOne(run, request, wrong)));
  for (const [index, exchange] of exchanges.entries()) {
    const isJudged = isReply(exchange) && (isPlain(exchange) || !wasNotRedirected(exchange));
    if (isJudged && wrongs[index]) yield wrongs[index].verdict(exchange);
  }
  const refused = exchanges.filter(isPlain).filter((exchange) => !wasServed(exchange));
  return exchanges.some(wasServed) ? undefined : refused;
}

async function sendOne(run: Run, { probe, hasEffect }: ValidRequest, { change }: Wrong): Promise<Exchange> {
  const exchange = await run.send({ ...probe, ...change }, wasRefusedHere);
  if (hasEffect) assertUndisturbed(run, exchange);
  return exchange;
}

/** Sends one request after another. A cancellation is permanent, so it is the last one. */
async function sendInTurn(run: Run, request: ValidRequest, wrongs: readonly Wrong[]): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  for (const wrong of wrongs) {
    const exchange = await sendOne(run, request, wrong);
    exchanges.push(exchange);
    if (!wasServed(exchange)) continue;
    if (noteCancelled(run, exchange)) break;
    await request.undo();
    await request.prepare();
  }
  return exchanges;
}

/**
 * Sends invalid items to an operation, and undoes the effect of a served one before the next. A creation cannot be undone, so no item
 * follows a served one.
 * @throws Interference when one was served during concurrent tests
 */
export async function sendAll<Item>(
  run: Run,
  { operation, isSequential, hasEffect, undo }: Omit<ValidRequest, "probe" | "prepare" | "isServed">,
  items: readonly Item[],
  probeOf: (item: Item) => Probe,
  isJudged = wasRefused,
): Promise<[Item, Exchange][]> {
  const send = async (item: Item): Promise<[Item, Exchange]> => {
    const exchange = await run.send(probeOf(item), isJudged);
    if (hasEffect) assertUndisturbed(run, exchange);
    return [item, exchange];
  };
  const isCreation = operation === "createCandidate";
  if (!isSequential && !isCreation) return Promise.all(items.map(send));
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

/** Calls each: at the same time during concurrent tests, otherwise one after another. */
export async function everyOne<Result>(
  { shared }: Run,
  calls: readonly (() => Promise<Result>)[],
): Promise<Result[]> {
  if (shared) return Promise.all(calls.map((call) => call()));
  const results: Result[] = [];
  for (const call of calls) results.push(await call());
  return results;
}

/** Judges the response to a named request that must be refused. @param cause replaces what is expected in the key of the finding */
export function refusalOf(exchange: Reply, name: string, code: Code, cause?: string): Outcome {
  const { status } = exchange.answer;
  if (status >= 400) return passed(exchange.probe.operation, `${name} is refused`);
  const details = { exchange, expected: `4xx for ${name}`, actual: `status ${status}` };
  return found(code, { ...details, ...(cause !== undefined && { cause }) });
}

/** Whether the judge checks the response. A success may echo the invalid input, so it is excluded. */
export function wasRefused(exchange: Exchange): boolean {
  return !isReply(exchange) || exchange.answer.status >= 300;
}

function wasNotRedirected(exchange: Exchange): boolean {
  return !isReply(exchange) || exchange.answer.status < 300 || exchange.answer.status >= 400;
}

/** The same without redirects, as for an unusual path or to a login page. */
export const wasRefusedHere = (exchange: Exchange) => wasRefused(exchange) && wasNotRedirected(exchange);
