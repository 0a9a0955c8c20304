import { createProviderHttp } from "../clients/provider/http.ts";
import { checks } from "./checks/checks.ts";
import type { Verification } from "./events.ts";
import { isRun } from "./groups.ts";
import { openLedger } from "./ledger.ts";
import { type Group, groups, type VerifyOptions } from "./options.ts";
import { type Replayer, startReplayer } from "./pact/replayer.ts";
import { isRestored, restore } from "./restore.ts";
import { createRun, type Run } from "./run.ts";
import { setUpFixtures } from "./states.ts";
import { type Stop, Stopped, stopBy } from "./stop.ts";
import { createTarget, type OperationId } from "./target.ts";

const TIMEOUT_MS = 10_000;
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
  const { baseUrl, providerId, token, readOnly = false, other } = options;
  const seed = options.seed ?? Math.floor(Math.random() * 2 ** 31);
  const stop = stopBy(options.signal, options.wait ?? ((ms) => new Promise((done) => setTimeout(done, ms))));
  const ledger = openLedger(options, seed);
  ledger.plan(readOnly ? [] : CHANGING);
  const target = createTarget({
    ...{ baseUrl, providerId, token, fetch, wait: stop.wait, seed },
    timeoutMs: options.fetch ? options.timeoutMs : (options.timeoutMs ?? TIMEOUT_MS),
  });
  const fixtures = await stop.step(setUpFixtures(options));
  const run = createRun({
    ...{ target, fixtures, other, seed, mayChange: !readOnly, now: options.now ?? Date.now },
    ...{ statesUrl: readOnly ? undefined : options.statesUrl, replayer },
    onFound: ledger.found,
    onAnswer: ledger.answered,
  });
  if (options.routing === "path" || options.routing === "header") run.forms.routing = options.routing;
  try {
    await runGroups(run, options, { ledger, stop });
  } catch (error) {
    throw error instanceof Stopped ? await stoppedIn(run) : error;
  }
  return ledger.close(run);
}

interface Rest {
  ledger: ReturnType<typeof openLedger>;
  stop: Stop;
}

async function runGroups(run: Run, options: VerifyOptions, rest: Rest): Promise<void> {
  try {
    for (const group of groups) await runGroup(group, run, options, rest);
    rest.ledger.restoring();
  } finally {
    await restore(run);
  }
}

async function stoppedIn(run: Run): Promise<Stopped> {
  const isAsBefore = await isRestored(run);
  if (isAsBefore === undefined) return new Stopped();
  const shift = `the shift ${run.fixtures.shiftId}`;
  return isAsBefore
    ? new Stopped(`stopped before the end; ${shift} is as it was, and test people that were created stay`)
    : new Stopped(
        `stopped before the end; ${shift} could not be put back: see its times, positions and candidates`,
      );
}

async function runGroup(
  group: Group,
  run: Run,
  options: VerifyOptions,
  { ledger, stop }: Rest,
): Promise<void> {
  if (!isRun(group, options)) return ledger.leftOut(group);
  ledger.begin(group);
  for (const check of checks.filter((each) => each.group === group)) {
    for await (const outcome of stop.through(check.run(stop.guard(run)))) ledger.take(outcome, check);
  }
}
