import { type Pair, unassign, unassignmentsOf } from "../assignment.ts";
import { noteCancelled } from "../cancellable-shift.ts";
import type { Code } from "../codes/codes.ts";
import { type Exchange, isPlain, isReply, type Probe, type Reply } from "../exchange.ts";
import { found, type Outcome, passed, skipped } from "../finding.ts";
import { type Run, wasServed } from "../run.ts";
import { updateOf } from "../shift.ts";
import { personOf } from "../test-candidates.ts";
import { idUnlike } from "../test-numbers.ts";
import { assertUndisturbed, type ValidRequest } from "../valid-requests.ts";
import { type Check, UNASSIGNMENTS } from "./check.ts";
import { answersTo, checkCreations, checkUpdates } from "./each-operation.ts";

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

/** Bodies that are not JSON, or not an object. The judge reports a 5xx; this check reports a success. */
export const malformedBodies = [checkUpdates, checkCreations].map((checkBodies) =>
  checkBodies("errors", "a malformed body is refused", sendTo),
);

/** By their name in findings. */
const UNREADABLE: Readonly<Record<string, string>> = {
  "a body that is not JSON": "startTime=tomorrow&personalNumber=unknown",
  "half of a JSON object": '{"startTime": "2030-01-01T08:00:00Z", "firstName": "Ve',
  "an empty body": "",
};
const NO_OBJECT: Readonly<Record<string, string>> = {
  "an array as the body": "[]",
  "a string as the body": '"text"',
  "null as the body": "null",
};

async function* sendTo(run: Run, request: ValidRequest): AsyncGenerator<Outcome> {
  const { operation, probe } = request;
  const bodies = Object.entries({ ...UNREADABLE, ...NO_OBJECT });
  const answered = await sendAll(run, request, bodies, ([, text]) => ({
    ...bodiless(probe),
    raw: { text, contentType: "application/json" },
  }));
  for (const [[name], exchange] of answered) {
    if (!isPlain(exchange)) continue;
    // The contract does not define the body of an update: readable JSON may mean "change nothing".
    const isRead = operation === "updateShift" && name in NO_OBJECT;
    const code = isRead ? "invalid_tolerated" : "malformed_accepted";
    yield refusalOf(exchange, name, code);
  }
  yield* sendAsText(run, request);
}

/** Sends valid JSON as text/plain. The provider may accept or refuse it, so only the judge checks the response. */
async function* sendAsText(run: Run, { operation, probe, unchanged }: ValidRequest): AsyncGenerator<Outcome> {
  const raw = { text: JSON.stringify(unchanged ?? probe.json), contentType: "text/plain" };
  const exchange = await run.send({ ...bodiless(probe), raw }, wasRefused);
  if (isPlain(exchange)) yield passed(operation, "a body with another Content-Type causes no server error");
}

function bodiless({ json: _, ...rest }: Probe): Probe {
  return rest;
}

/** Malformed ids. Any refusal is right, and the judge reports a 5xx or a broken connection. */
export const malformedIds: readonly Check[] = [
  { group: "errors", needs: ["shift"], run: readMalformed },
  {
    group: "errors",
    needs: ["shift", "update", "person", "assign", "settled"],
    rejection: true,
    run: changeMalformed,
  },
  { group: "errors", needs: ["person", "assign", "settled"], rejection: true, run: assignMalformed },
];

/** By their name in findings. */
const EVERYWHERE: Readonly<Record<string, string>> = {
  "a word as an id": "not-a-uuid",
  "a zero byte as an id": "\u0000",
  "an emoji as an id": "\u{1F9D1}\u200D\u{1F373}",
};

/** For reads only: a provider that processes these ids must not lose data. */
const READING_ONLY: Readonly<Record<string, string>> = {
  "a quote as an id": "' or 1=1 --",
  "300 characters as an id": "a".repeat(300),
  "a relative path as an id": "../..",
};

async function* readMalformed(run: Run): AsyncGenerator<Outcome> {
  const ids = Object.entries({ ...EVERYWHERE, ...READING_ONLY });
  yield* ask(
    run,
    ids.map(([name, shiftId]) => [name, { operation: "getShift", path: { shiftId } }]),
  );
}

async function* changeMalformed(run: Run): AsyncGenerator<Outcome> {
  if (!run.mayChange) return;
  const { shift } = run.known;
  const { candidateId = run.fixtures.knownCandidateId } = await personOf(run);
  yield* ask(
    run,
    Object.entries(EVERYWHERE).flatMap(([name, shiftId]) => {
      const path = { shiftId };
      const probes: Probe[] = [
        ...(shift ? [{ operation: "updateShift", path, json: updateOf(shift) } as const] : []),
        { operation: "cancelShift", path },
        ...(candidateId === undefined ? [] : assignmentProbes(run, { shiftId, candidateId })),
      ];
      return probes.map((each): Asked => [name, each]);
    }),
  );
}

async function* assignMalformed(run: Run): AsyncGenerator<Outcome> {
  const { shiftId } = run.fixtures;
  if (!run.mayChange || shiftId === undefined) return;
  yield* ask(
    run,
    Object.entries(EVERYWHERE).flatMap(([name, candidateId]) =>
      assignmentProbes(run, { shiftId, candidateId }).map((each): Asked => [name, each]),
    ),
  );
}

type Asked = readonly [name: string, probe: Probe];

const assignmentProbes = (run: Run, pair: Pair): Probe[] => [
  { operation: "assignCandidate", path: { ...pair } },
  ...unassignmentsOf(run, pair),
];

async function* ask(run: Run, asked: readonly Asked[]): AsyncGenerator<Outcome> {
  for (const [name, reply] of await answersTo(run, asked, wasRefusedHere)) yield verdictOf(run, name, reply);
}

function verdictOf(run: Run, name: string, exchange: Reply): Outcome {
  const { operation } = exchange.probe;
  const { status } = exchange.answer;
  if (status >= 300 || UNASSIGNMENTS.some((each) => each === operation)) {
    return passed(operation, `${name} is handled correctly`);
  }
  assertUndisturbed(run, exchange);
  return found("malformed_accepted", { exchange, expected: `4xx for ${name}`, actual: `status ${status}` });
}

/** Well-formed unknown ids: the platform treats 404 as deleted. */
export const unknownIds: readonly Check[] = [
  {
    group: "errors",
    needs: ["shift", "update", "person", "assign", "settled"],
    rejection: true,
    run: askForUnknown,
  },
  { group: "errors", needs: ["person", "assign", "settled"], rejection: true, run: assignUnknown },
];

/** The expected statuses, and the finding for a success. */
interface Rule {
  /** Any 4xx by default. */
  usual?: readonly number[];
  /** Undefined: a success is right as well. */
  served?: Code;
}

const GONE: Rule = { usual: [404, 410], served: "unknown_id_accepted" };
const REFUSED: Rule = { served: "unknown_id_accepted" };
const TOLERATED: Rule = { served: "unknown_id_tolerated" };

async function* askForUnknown(run: Run): AsyncGenerator<Outcome> {
  const shiftId = idUnlike(run.fixtures.shiftId ?? run.madeUp("form"), run, "unknown shift");
  const { shift } = run.known;
  const path = { shiftId };
  const read: Probe = { operation: "getShift", path };
  if (!run.mayChange) return yield* askFor(run, [read], GONE);
  const update: Probe[] = shift ? [{ operation: "updateShift", path, json: updateOf(shift) }] : [];
  yield* askFor(run, [read, ...update, { operation: "cancelShift", path }], GONE);
  const { candidateId = run.fixtures.knownCandidateId } = await personOf(run);
  if (candidateId === undefined) {
    const reason = "creating a candidate failed";
    return yield skipped("skipped_after_failure", "assignCandidate", "an unknown shift is refused", reason);
  }
  const pair = { shiftId, candidateId };
  yield* askFor(run, [{ operation: "assignCandidate", path: pair }], REFUSED);
  yield* askFor(run, unassignmentsOf(run, pair), TOLERATED);
}

async function* assignUnknown(run: Run): AsyncGenerator<Outcome> {
  const { shiftId, knownCandidateId } = run.fixtures;
  if (!run.mayChange || shiftId === undefined) return;
  const { candidateId = knownCandidateId } = await personOf(run);
  if (candidateId === undefined) return;
  const pair = { shiftId, candidateId: idUnlike(candidateId, run, "unknown candidate") };
  for await (const outcome of askFor(run, [{ operation: "assignCandidate", path: pair }], REFUSED)) {
    if (outcome.kind === "found") await unassign(run, pair);
    yield outcome;
  }
  yield* askFor(run, unassignmentsOf(run, pair), {});
}

async function* askFor(run: Run, probes: readonly Probe[], rule: Rule): AsyncGenerator<Outcome> {
  const isJudged = (each: Exchange) => rule.served === undefined || wasRefused(each);
  for (const exchange of await Promise.all(probes.map((probe) => run.send(probe, isJudged)))) {
    if (rule.served === "unknown_id_accepted") assertUndisturbed(run, exchange);
    if (isPlain(exchange)) yield verdictOn(exchange, rule);
  }
}

function verdictOn(exchange: Reply, { usual, served }: Rule): Outcome {
  const { status } = exchange.answer;
  const name = "an unknown id";
  const expected = `${usual?.join(" or ") ?? "4xx"} for ${name}`;
  const actual = `status ${status}`;
  if (status < 300 && served) return found(served, { exchange, expected, actual });
  if (status >= 400 && usual && !usual.includes(status)) {
    return found("unknown_id_status", { exchange, expected, actual });
  }
  return passed(exchange.probe.operation, `${name} is handled correctly`);
}
