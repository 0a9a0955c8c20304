import { createProviderHttp } from "../clients/provider/http.ts";
import { checks } from "./checks/checks.ts";
import type { Verification } from "./events.ts";
import { isRun } from "./groups.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import type { VerifyOptions } from "./options.ts";
import { type Replayer, startReplayer } from "./pact/replayer.ts";
import { reportsOf } from "./reports.ts";
import { changedShifts, isRestored, restore } from "./restore.ts";
import { createRun, type Run } from "./run.ts";
import { runInOrder } from "./schedule.ts";
import { setUpFixtures } from "./states.ts";
import { stepsOf } from "./steps.ts";
import { type Stop, Stopped, stopBy } from "./stop.ts";
import { createTarget, type OperationId } from "./target.ts";

const TIMEOUT_MS = 10_000;
/** Requests at the same time. */
const AT_ONCE = 8;
const CHANGING: readonly OperationId[] = [
  ...(["createCandidate", "updateShift", "assignCandidate", "unassignCandidate"] as const),
  ...(["deleteAssignment", "cancelShift"] as const),
];

/**
 * Verifies a running provider against the contract (spec/provider.openapi.yaml). It changes data at the provider unless `readOnly`
 * is set: shifts and assignments are left as they were, the test people that it creates stay, because the contract has no way to remove them,
 * and the cancellable shift is cancelled.
 * @throws CouldNotRun when there is no provider to verify: nothing answers, or the token is refused; and when the signal stops it
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const http = createProviderHttp({ allowInsecure: true, timeoutMs });
  const { fetch = http.fetch } = options;
  // It takes a second to get ready: the other groups run meanwhile.
  const replayer = isRun("contracts", options) ? (options.startReplayer ?? startReplayer)() : undefined;
  try {
    return await verifyWith(options, fetch, replayer);
  } finally {
    await replayer?.close();
    await http.close();
  }
}

async function verifyWith(
  options: VerifyOptions,
  fetch: NonNullable<VerifyOptions["fetch"]>,
  replayer: Replayer | undefined,
): Promise<Verification> {
  const { baseUrl, providerId, token, readOnly = false, other, createShift } = options;
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
  const stop = stopBy(options.signal, options.wait ?? ((ms) => new Promise((done) => setTimeout(done, ms))));
  const ledger = openLedger(options, seed);
  ledger.plan(readOnly ? [] : CHANGING);
  const target = createTarget({
    ...{ baseUrl, providerId, token, fetch, wait: stop.wait, seed },
    ...{ concurrency: options.concurrency ?? AT_ONCE },
    timeoutMs: options.fetch ? options.timeoutMs : (options.timeoutMs ?? TIMEOUT_MS),
  });
  const fixtures = await stop.step(setUpFixtures(options));
  const parts = {
    ...{ target, fixtures, other, seed, mayChange: !readOnly, now: options.now ?? Date.now },
    ...{ statesUrl: readOnly ? undefined : options.statesUrl, createShift, replayer },
  };
  const run = createRun(parts, { found: ledger.found, answered: ledger.answered });
  if (options.routing === "path" || options.routing === "header") run.forms.routing = options.routing;
  try {
    await runChecks(run, options, { ledger, stop });
  } catch (error) {
    throw error instanceof Stopped ? await stoppedIn(run) : error;
  }
  return ledger.close(run);
}

interface Rest {
  ledger: Ledger;
  stop: Stop;
}

async function runChecks(run: Run, options: VerifyOptions, { ledger, stop }: Rest): Promise<void> {
  const wanted = checks.filter(
    ({ group, isFor }) => isRun(group, options) && (isFor?.some((each) => isRun(each, options)) ?? true),
  );
  try {
    await runInOrder(stepsOf(run, wanted, reportsOf(wanted, options, ledger), stop));
    ledger.restoring();
  } finally {
    await stop.settled(run.target.idle());
    await Promise.all(changedShifts(run).map((each) => restore(run, each)));
  }
}

async function stoppedIn(run: Run): Promise<Stopped> {
  const changed = changedShifts(run);
  if (changed.length === 0) return new Stopped();
  const are = await Promise.all(changed.map((each) => isRestored(run, each)));
  const wrong = changed.find((_, index) => !are[index]);
  return wrong === undefined
    ? new Stopped(
        `stopped before the end; the shift ${changed[0]?.shiftId} is as it was, and test people that were created stay`,
      )
    : new Stopped(
        `stopped before the end; the shift ${wrong.shiftId} could not be put back: see its times, positions and candidates`,
      );
}
