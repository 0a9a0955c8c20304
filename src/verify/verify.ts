import { createProviderHttp } from "../clients/provider/http.ts";
import { reportsOf, stepsOf } from "./check-steps.ts";
import { checks } from "./checks/all-checks.ts";
import { ASSIGNMENTS } from "./checks/check.ts";
import type { Verification } from "./events.ts";
import type { OperationId } from "./exchange.ts";
import { found, skipped } from "./finding.ts";
import { isRun } from "./groups.ts";
import { createTarget, type TargetOptions } from "./http-target.ts";
import type { VerifyOptions } from "./options.ts";
import { removeCandidates, setUpFixtures } from "./provider-states.ts";
import { createRecorder, type Recorder } from "./recorder.ts";
import { changedShifts, restore } from "./restore.ts";
import { createRun, type Run } from "./run.ts";
import { runInOrder } from "./schedule.ts";
import { isGone, readShiftOf } from "./shift.ts";
import { type Stop, Stopped, stopBy } from "./stop.ts";
import { TEST_NUMBERS } from "./test-numbers.ts";

const TIMEOUT_MS = 10_000;
/** Shorter than a server keeps an idle connection: one that it is about to close would break the next request. Milliseconds. */
const IDLE_MS = 20;
/** Concurrent requests: of so many, one alone takes no longer only at a provider that is far away. */
const AT_ONCE = 16;
/** Fixed, so that the same provider has the same verdict in each run. */
const SEED = 1;
const CHANGING: readonly OperationId[] = ["createCandidate", "updateShift", ...ASSIGNMENTS, "cancelShift"];

/**
 * Verifies a running provider against the contract (spec/provider.openapi.yaml). Unless `readOnly` is set, it changes data: shifts and
 * assignments are restored afterwards, but created test candidates stay unless a provider state removes them, because the contract has no
 * operation for it, and a cancellable fixture shift is cancelled.
 * @throws CouldNotRun without a provider to verify: there is no response, or the token is refused; and after the stop signal
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const { timeoutMs = TIMEOUT_MS, concurrency: connections = AT_ONCE } = options;
  const http = createProviderHttp({ allowInsecure: true, timeoutMs, connections, idleMs: IDLE_MS });
  const fresh = createProviderHttp({ allowInsecure: true, timeoutMs, connections, idleMs: 0 });
  const { fetch } = options;
  try {
    return await verifyWith(options, fetch ? { fetch } : { fetch: http.fetch, freshFetch: fresh.fetch });
  } finally {
    await Promise.all([http.close(), fresh.close()]);
  }
}

async function verifyWith(
  options: VerifyOptions,
  connections: Pick<TargetOptions, "fetch" | "freshFetch">,
): Promise<Verification> {
  const { baseUrl, providerId, token, readOnly = false, polite = false, other } = options;
  const { seed = SEED, numbers = TEST_NUMBERS } = options;
  const stop = stopBy(options.signal, options.wait ?? ((ms) => new Promise((done) => setTimeout(done, ms))));
  const recorder = createRecorder(options, seed);
  recorder.plan(readOnly ? [] : CHANGING);
  const target = createTarget({
    baseUrl,
    providerId,
    token,
    ...connections,
    wait: stop.wait,
    concurrency: options.concurrency ?? AT_ONCE,
    rate: options.rate,
    timeoutMs: options.fetch ? options.timeoutMs : (options.timeoutMs ?? TIMEOUT_MS),
  });
  const shifts: string[] = [];
  const create = options.createShift;
  const createShift = create && (async () => shifts[shifts.push(await create()) - 1] as string);
  const fixtures = await stop.step(setUpFixtures({ ...options, ...(createShift && { createShift }) }));
  const parts = {
    target,
    fixtures,
    other,
    seed,
    numbers,
    mayChange: !readOnly,
    isPolite: polite,
    now: options.now ?? Date.now,
    statesUrl: readOnly ? undefined : options.statesUrl,
    createShift,
  };
  const run = createRun(parts, { found: recorder.found, answered: recorder.answered });
  if (options.routing === "path" || options.routing === "header") run.forms.routing = options.routing;
  try {
    await runChecks(run, options, recorder, stop);
  } finally {
    await cancelAll(run, shifts);
  }
  const made = [...run.known.created].filter((number) => !run.known.there.has(number.replace("-", "")));
  const left = await removeCandidates(run.statesUrl, made);
  return recorder.close(run, made.length, left.length);
}

/** Cancels the shifts that were created for the run: otherwise each run would leave one. */
async function cancelAll(run: Run, shifts: readonly string[]): Promise<void> {
  for (const shiftId of shifts) {
    if (isGone(await readShiftOf(run, shiftId))) continue;
    await run.send({ operation: "cancelShift", path: { shiftId } }, () => false);
  }
}

async function runChecks(run: Run, options: VerifyOptions, recorder: Recorder, stop: Stop): Promise<void> {
  const wanted = checks.filter(
    ({ group, isFor }) => isRun(group, options) && (isFor?.some((each) => isRun(each, options)) ?? true),
  );
  try {
    await runInOrder(stepsOf(run, wanted, reportsOf(wanted, options, recorder), stop));
    recorder.restoring();
  } catch (error) {
    await stop.settled(run.target.idle());
    const left = await restoreAll(run);
    throw error instanceof Stopped ? stoppedWith(run, left) : error;
  }
  for (const { shiftId, fields } of await restoreAll(run)) {
    const expected = "the original shift, once its times, positions and candidates were restored";
    const title = "the shift is restored";
    const actual = `the shift ${shiftId} has a different ${fields?.join(", ")}`;
    const reason = `the shift ${shiftId} cannot be read: check it`;
    const left = fields
      ? found("not_restored", { operation: "updateShift", expected, actual })
      : skipped("skipped_after_failure", "updateShift", title, reason);
    recorder.record(left, { name: "restoring", isAside: true });
  }
}

interface Unrestored {
  shiftId: string;
  /** Undefined if it cannot be read. */
  fields: string[] | undefined;
}

async function restoreAll(run: Run): Promise<Unrestored[]> {
  const all = changedShifts(run).map(async (each) => ({
    shiftId: each.shiftId,
    fields: await restore(run, each),
  }));
  return (await Promise.all(all)).filter(({ fields }) => fields?.length !== 0);
}

function stoppedWith(run: Run, [left]: readonly Unrestored[]): Stopped {
  const [changed] = changedShifts(run);
  if (!changed) return new Stopped();
  const what = left
    ? `the shift ${left.shiftId} could not be restored: check its ${left.fields?.join(", ") ?? "content"}`
    : `the shift ${changed.shiftId} is unchanged, and created test candidates stay`;
  return new Stopped(`stopped before the end; ${what}`);
}
