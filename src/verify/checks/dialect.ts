import type { Shift as ShiftBody } from "../../../generated/provider/types.ts";
import { readShift, type Shift, variantOf } from "../../contract/shift.ts";
import { assign, freePair, type Pair, unassignBy } from "../assignment.ts";
import { findCancellable } from "../cancellable-shift.ts";
import { type Exchange, isPlain, isReply, statusOf } from "../exchange.ts";
import { type Found, found, type Outcome, passed, refused, skipped } from "../finding.ts";
import { acknowledgementOf, notFoundForm } from "../judge/judge.ts";
import { UNKNOWN_FIELDS } from "../refusal-advice.ts";
import { type PreparedPerson, type Run, sendOnce } from "../run.ts";
import { NO_SHIFT, readShiftOf, shiftBodyOf, shiftOf, updateOf } from "../shift.ts";
import { isFormRefused, matching, NUMBERS_USED_UP, personOf, unusedNumberOf } from "../test-candidates.ts";
import type { Check } from "./check.ts";
import { confirmed, steadyRead, steadyReads } from "./steady-reads.ts";
import { judgeOthers, judgeUnasked, TIMES_AND_POSITIONS } from "./unexpected-changes.ts";

/** Detects the provider's forms of the contract. The other checks expect these forms. */
export const dialect: readonly Check[] = [
  { group: "dialect", needs: [], gives: ["shift"], run: detectVariant },
  { group: "dialect", needs: [], gives: ["unknownCandidate"], run: detectNotFound },
  { group: "dialect", needs: [], gives: ["registry"], run: detectRegistry },
  { group: "dialect", needs: [], gives: ["person"], holds: { people: "adds" }, run: createPerson },
  { group: "dialect", needs: ["shift"], gives: ["update"], holds: { shift: "changes" }, run: detectUpdated },
  {
    group: "dialect",
    needs: ["shift", "update", "person"],
    gives: ["assign"],
    holds: { shift: "changes" },
    run: detectAssignment,
  },
  {
    group: "dialect",
    needs: ["shift"],
    gives: ["cancellable"],
    isFor: ["meaning", "authentication", "tenants", "cancellation", "contracts"],
    run: detectCancellable,
  },
];

/** Creates the test candidate early: most changing checks need one. */
async function* createPerson(run: Run): AsyncGenerator<never> {
  await personOf(run);
  yield* [];
}

async function* detectCancellable(run: Run): AsyncGenerator<Outcome> {
  if (!run.mayChange) return;
  const cancellable = await findCancellable(run);
  run.known.cancellable = cancellable;
  const read = "missing" in cancellable ? cancellable.read : undefined;
  if (read && isPlain(read) && read.answer.status >= 400)
    yield refused(read, "200 with the shift that may be cancelled");
}

async function* detectVariant(run: Run): AsyncGenerator<Outcome> {
  const { shiftId } = run.fixtures;
  const title = "the variant of the shift is known";
  if (shiftId === undefined) {
    return yield skipped("skipped_not_prepared", "getShift", title, NO_SHIFT);
  }
  const reads = await steadyReads(run, shiftId);
  const refusal = reads.filter(isPlain).find(({ answer }) => answer.status >= 400);
  if (refusal) yield refused(refusal, "200 with the fixture shift");
  const body = reads.map(shiftBodyOf).findLast((each) => each !== undefined);
  if (!body) return;
  run.known.shift = body;
  run.forms.variant = ownVariant(body);
  yield passed("getShift", `${title}: ${run.forms.variant}`);
}

/** Returns the variant by the name of the positions: some providers add fields of the other variant. */
function ownVariant(body: ShiftBody): "a" | "b" {
  if ((body.numberOfPositions ?? null) !== null) return "b";
  return (body.slots ?? null) !== null ? "a" : variantOf(body);
}

/** Detects the response to a lookup without a match: an empty array or 404 (contract 4.2). */
async function* detectNotFound(run: Run): AsyncGenerator<Outcome> {
  const { lookups, number } = await unusedNumberOf(run);
  const { digits } = lookups;
  const form = notFoundForm(isFormRefused(digits) ? lookups.hyphenated : digits);
  if (form !== undefined) run.forms.notFound = form;
  const hyphen = hyphenForm(lookups);
  if (hyphen !== undefined) run.forms.hyphen = hyphen;
  if (form !== undefined && isFormRefused(digits)) {
    run.known.refusesDigits = true;
    const expected = "200 with [], or 404, for a lookup under 12 digits";
    yield found("number_form_ignored", { exchange: digits, expected, actual: `status ${statusOf(digits)}` });
  }
  if (form !== undefined) return yield passed("findCandidates", `the not-found form is known: ${form}`);
  if (isPlain(digits) && digits.answer.status >= 400) {
    const actual = `status ${digits.answer.status}`;
    yield found("request_refused", { exchange: digits, expected: "200 with [], or 404", actual });
  }
  if (matching(digits, number).length > 0) {
    yield skipped("skipped_not_prepared", "findCandidates", "the not-found form is known", NUMBERS_USED_UP);
  }
}

/** Returns how hyphenated numbers are handled: a provider may accept 12 digits only (contract 2.8). */
function hyphenForm({ digits, hyphenated }: PreparedPerson["lookups"]): "read" | "refused" | undefined {
  if (isFormRefused(hyphenated)) return "refused";
  const form = notFoundForm(hyphenated);
  return form !== undefined && form === notFoundForm(digits) ? "read" : undefined;
}

async function* detectRegistry(run: Run): AsyncGenerator<Outcome> {
  const registry = await sendOnce(run, { operation: "getCandidateRegistry" });
  const status = statusOf(registry);
  if (status === 404 || status === 405 || status === 501) {
    run.forms.registry = "absent";
    const reason = `it is optional, and the provider returns ${status}`;
    return yield skipped("skipped_not_offered", "getCandidateRegistry", "the candidate registry", reason);
  }
  if (status === 200) run.forms.registry = "offered";
  if (status === 200) yield passed("getCandidateRegistry", "the registry is offered");
}

/** Sends an update that changes nothing, to detect whether the response is the shift. */
async function* detectUpdated(run: Run): AsyncGenerator<Outcome> {
  const { shiftId } = run.fixtures;
  const { shift } = run.known;
  if (!run.mayChange || shiftId === undefined || !shift) return;
  const path = { shiftId };
  const { slots, numberOfPositions, ...times } = updateOf(shift);
  const update = await run.send({ operation: "updateShift", path, json: updateOf(shift) });
  if (isFormRefused(update)) {
    const own = run.forms.variant === "b" ? { numberOfPositions } : { slots };
    const again = await run.send({ operation: "updateShift", path, json: { ...times, ...own } });
    const details = { exchange: update, expected: "200 or 204", actual: `status ${statusOf(update)}` };
    if (isServed(again)) yield found("request_refused", { ...details, fix: UNKNOWN_FIELDS });
  }
  if (!isReply(update) || !isServed(update)) return;
  run.forms.updated = shiftBodyOf(update) ? "shift" : "none";
  yield passed("updateShift", `the response to an update is known: ${run.forms.updated}`);
  const { shift: before } = readShift(shift, "UTC");
  const read = await readShiftOf(run, shiftId);
  const now = shiftOf(read);
  if (!before || !now) return;
  yield* await confirmed(run, shiftId, read, [
    ...judgeUnasked(update, before, now, { fields: TIMES_AND_POSITIONS }),
    ...judgeOthers(update, shift, shiftBodyOf(read), "no effect of an update without changes"),
  ]);
}

const isServed = (exchange: Exchange) => isReply(exchange) && exchange.answer.status < 300;

/** Assigns and unassigns the test candidate, to detect the acknowledgement and the forms of unassignment. */
async function* detectAssignment(run: Run): AsyncGenerator<Outcome> {
  if (!run.mayChange) return;
  const free = await freePair(run);
  if ("missing" in free) {
    const title = "the acknowledgement and the form of unassignment are known";
    return yield skipped("skipped_not_prepared", "assignCandidate", title, free.missing);
  }
  const { pair } = free;
  let before: Shift | undefined = free.shift;
  for (const form of ["put", "delete"] as const) {
    for (const call of [() => assignFirst(run, pair), () => offer(run, pair, form)]) {
      const exchange = await call();
      const read = await readShiftOf(run, pair.shiftId);
      const now = shiftOf(read);
      const unasked: Found[] = before && now ? judgeUnasked(exchange, before, now, pair) : [];
      yield* await confirmed(run, pair.shiftId, read, unasked);
      before = unasked.length > 0 ? shiftOf(await steadyRead(run, pair.shiftId)) : before;
    }
  }
  if (run.forms.acknowledgement !== undefined) {
    yield passed("assignCandidate", `the acknowledgement is known: ${run.forms.acknowledgement}`);
  }
  const { unassign } = run.forms;
  if (unassign) return yield passed("unassignCandidate", `the form of unassignment is known: ${unassign}`);
  const exchange = await unassignBy(run, pair, "put");
  const expected = "200 or 204 for one of the two forms of unassignment";
  const actual = `status ${statusOf(exchange)} for PUT, and no success for DELETE`;
  yield found("unassign_absent", { exchange, expected, actual });
}

async function assignFirst(run: Run, pair: Pair): Promise<Exchange> {
  const exchange = await assign(run, pair);
  const acknowledgement = acknowledgementOf(exchange);
  if (acknowledgement !== undefined) run.forms.acknowledgement ??= acknowledgement;
  return exchange;
}

async function offer(run: Run, pair: Pair, form: "put" | "delete"): Promise<Exchange> {
  const exchange = await unassignBy(run, pair, form);
  if (!isReply(exchange) || exchange.answer.status >= 300) return exchange;
  run.forms.unassign ??= form;
  run.known.offered.add(exchange.probe.operation);
  return exchange;
}
