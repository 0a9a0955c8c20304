import type { Shift as ShiftBody } from "../../../generated/provider/types.ts";
import { readShift, type Shift } from "../../contract/shift.ts";
import {
  type Exchange,
  isDenied,
  isPlain,
  isReply,
  type OperationId,
  type Probe,
  type Reply,
} from "../exchange.ts";
import { type Found, found, type Outcome, passed, refused, skipped } from "../finding.ts";
import { isObject } from "../json-object.ts";
import { notFoundForm } from "../judge/judge.ts";
import { type Facts, type Run, sendOnce } from "../run.ts";
import { momentOf, readShiftOf, shiftBodyOf, shiftOf } from "../shift.ts";
import type { Check } from "./check.ts";

/** Confirms findings from one read of the shift with a second read. Reports an unstable read if the two differ. */
export async function confirmed(
  run: Run,
  shiftId: string,
  read: Exchange,
  findings: readonly Found[],
): Promise<readonly Found[]> {
  const facts = factsOf(read);
  if (findings.length === 0 || !facts) return findings;
  const again = await readShiftOf(run, shiftId);
  const factsAgain = factsOf(again);
  if (!factsAgain) return [];
  return differing(facts, factsAgain).length === 0 ? findings : [unstable(again, facts, factsAgain)];
}

/** What is wrong after a call, or else the shift; neither if a prerequisite failed, which the judge reports. */
export interface Effect {
  found: readonly Found[];
  now?: Shift;
}

/** Judges a call by a confirmed read of the shift. */
export async function effectOf(
  run: Run,
  shiftId: string,
  exchange: Exchange,
  judge: (exchange: Reply, now: Shift, read: Exchange) => Found[],
  refusal = (reply: Reply) => refused(reply, "200 or 204"),
): Promise<Effect> {
  if (!isPlain(exchange)) return { found: [] };
  if (exchange.answer.status >= 400) return { found: [refusal(exchange)] };
  const read = isDenied(exchange) ? undefined : await readShiftOf(run, shiftId);
  const now = read && shiftOf(read);
  if (!now) return { found: [] };
  const found = await confirmed(run, shiftId, read, judge(exchange, now, read));
  return found.length > 0 ? { found } : { found, now };
}

export function outcomesOf(
  { found, now }: Effect,
  operation: OperationId,
  title: string,
): readonly Outcome[] {
  if (now) return [passed(operation, title)];
  return found.length > 0 ? found : [afterFailure(operation, title)];
}

export const afterFailure = (operation: OperationId, title: string) =>
  skipped("skipped_after_failure", operation, title, "a prerequisite failed");

const MOST_READS = 4;

/** Returns a read of the shift that a second read confirms. */
export async function steadyRead(run: Run, shiftId: string): Promise<Exchange> {
  const reads = await steadyReads(run, shiftId);
  return reads.at(-1) ?? readShiftOf(run, shiftId);
}

/** Returns all reads; the last one is confirmed. */
export async function steadyReads(run: Run, shiftId: string): Promise<Exchange[]> {
  const reads: Exchange[] = [];
  while (reads.length < MOST_READS) {
    const pair = await Promise.all([readShiftOf(run, shiftId), readShiftOf(run, shiftId)]);
    reads.push(...pair);
    const [facts, factsAgain] = pair.map(factsOf);
    if (facts && factsAgain && differing(facts, factsAgain).length === 0) break;
  }
  return reads;
}

/** Repeats each read, to detect an occasionally wrong replica or cache. */
export const repeatedReads: readonly Check[] = [
  { group: "answers", needs: ["settled"], rejection: true, run: (run) => readAgain(run, "getShift") },
  { group: "answers", needs: [], gives: ["firstReads"], run: (run) => readAgain(run, "listOutlets") },
  { group: "answers", needs: [], gives: ["firstReads"], run: (run) => readAgain(run, "listRoles") },
  { group: "answers", needs: ["unknownCandidate", "known"], run: (run) => readAgain(run, "findCandidates") },
  {
    group: "answers",
    needs: ["registry"],
    holds: { people: "reads" },
    run: (run) => readAgain(run, "getCandidateRegistry"),
  },
];

/** Repeats the reads after all other checks, except those whose data may have changed. */
export const laterReads: readonly Check[] = (["listOutlets", "listRoles"] as const).map((operation) => ({
  group: "cancellation",
  isAside: true,
  needs: ["firstReads", "settled", "deleted"],
  run: (run) => readAgain(run, operation, true),
}));

type Read = "getShift" | "listOutlets" | "listRoles" | "findCandidates" | "getCandidateRegistry";

async function* readAgain(run: Run, operation: Read, isLater = false): AsyncGenerator<Outcome> {
  const probe = probeOf(run, operation);
  if (!probe) return;
  // Other checks may have changed what these show since their first read.
  const isFresh = isLater || operation === "getShift" || operation === "getCandidateRegistry";
  const first = isFresh ? run.send(probe) : sendOnce(run, probe);
  const more = Array.from({ length: run.isPolite || isLater ? 1 : 4 }, () => run.send(probe));
  yield judgeRead(run, operation, await Promise.all([first, ...more]));
}

function probeOf({ fixtures, known, forms }: Run, operation: Read): Probe | undefined {
  const { shiftId, knownPersonalNumber } = fixtures;
  const personalNumber = known.number ?? knownPersonalNumber;
  if (operation === "getShift") return shiftId === undefined ? undefined : { operation, path: { shiftId } };
  if (operation === "getCandidateRegistry") return forms.registry === "offered" ? { operation } : undefined;
  if (operation !== "findCandidates") return { operation };
  return personalNumber === undefined ? undefined : { operation, query: { personalNumber } };
}

function judgeRead(run: Run, operation: OperationId, exchanges: readonly Exchange[]): Outcome {
  const title = "repeated reads return the same result";
  const answers = exchanges.flatMap((exchange) => {
    const facts = factsOf(exchange);
    return facts ? [{ exchange, facts }] : [];
  });
  // Other checks may have changed the shift.
  const isKept = operation !== "getShift";
  const first = (isKept ? run.known.firstReads.get(operation) : undefined) ?? answers[0]?.facts;
  if (!first) return skipped("skipped_after_failure", operation, title, "no response could be read");
  if (isKept) run.known.firstReads.set(operation, first);
  const other = answers.find(({ facts }) => differing(first, facts).length > 0);
  return other ? unstable(other.exchange, first, other.facts) : passed(operation, title);
}

function unstable(exchange: Exchange, first: Facts, facts: Facts): Found {
  const isRefusal = "refused" in first !== "refused" in facts;
  const actual = isRefusal
    ? "served and refused alternately"
    : `${differing(first, facts).join(", ")} differs`;
  return found("answer_unstable", { exchange, expected: "the same result each time", actual });
}

function differing(one: Facts, other: Facts): string[] {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.filter((name) => one[name] !== other[name]);
}

/** Returns undefined without a response, or for an invalid body, which the judge reports. */
function factsOf(exchange: Exchange): Facts | undefined {
  const { operation } = exchange.probe;
  if (!isPlain(exchange)) return undefined;
  const { json, status } = exchange.answer;
  if (operation === "findCandidates" && notFoundForm(exchange)) return { candidates: "none" };
  if (status >= 400) return { refused: String(status) };
  if (operation === "getShift") return shiftFacts(shiftBodyOf(exchange));
  if (operation === "getCandidateRegistry")
    return idFacts((json as { candidates?: unknown } | undefined)?.candidates);
  // Only the first of several candidates with one number: another check reports duplicates.
  return operation === "findCandidates" && Array.isArray(json) ? idFacts(json.slice(0, 1)) : entryFacts(json);
}

/** Returns all facts except `updatedAt`, which any operation may change. */
function shiftFacts(body: ShiftBody | undefined): Facts | undefined {
  const shift = body && readShift(body, "UTC").shift;
  if (!body || !shift) return undefined;
  const { startTime, endTime, outletId, roleId, positions, variant, assigned } = shift;
  const { outletName, roleName, breakMinutes, status, description, createdAt } = body;
  const assignedCandidates = assigned.map(({ providerCandidateId }) => providerCandidateId).sort();
  const texts = { startTime, endTime, outletId, roleId, positions, variant, assignedCandidates };
  const made = createdAt && momentOf(createdAt);
  const others = { outletName, roleName, breakMinutes, status, description, createdAt: made };
  const entries = Object.entries({ ...texts, ...others });
  return Object.fromEntries(entries.map(([name, value]) => [name, JSON.stringify(value ?? null)]));
}

function entryFacts(json: unknown): Facts | undefined {
  const ids = idFacts(json);
  if (!ids || !Array.isArray(json)) return undefined;
  const entries = json.map((entry) => JSON.stringify([entry.id, entry.name, entry.address ?? null]));
  return { ...ids, entries: entries.sort().join() };
}

/** Returns the ids, sorted because the contract defines no order. The judge reports a missing id. */
function idFacts(json: unknown): Facts | undefined {
  if (!Array.isArray(json) || json.some((entry) => typeof entry?.id !== "string")) return undefined;
  const ids = json.map((entry) => entry.id).sort();
  return { ids: ids.join() };
}

/** Returns the entries of a list or of the registry, or the single object of a response. */
export function rowsOf(exchange: Exchange): Readonly<Record<string, unknown>>[] {
  if (!isReply(exchange) || exchange.answer.status >= 300) return [];
  const { json } = exchange.answer;
  const list = Array.isArray(json)
    ? json
    : isObject(json) && Array.isArray(json.candidates)
      ? json.candidates
      : [json];
  return list.filter(isObject);
}

/** A replica of the provider may lag by some seconds. Milliseconds. */
const WAITS_MS = [1_000, 2_000, 4_000];

/** Whether reads show it, now or once a lagging replica has caught up. */
export async function isShownInTime({ target }: Run, isShown: () => Promise<boolean>): Promise<boolean> {
  for (const waitMs of WAITS_MS) {
    if (await isShown()) return true;
    await target.options.wait(waitMs);
  }
  return isShown();
}
