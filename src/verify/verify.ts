import { createProviderHttp } from "../clients/provider/http.ts";
import { checks } from "./checks/checks.ts";
import type { Verification } from "./events.ts";
import { openLedger } from "./ledger.ts";
import { type Group, groups, type VerifyOptions } from "./options.ts";
import { type Replayer, startReplayer } from "./pact/replayer.ts";
import { restore } from "./restore.ts";
import { createRun, type Run } from "./run.ts";
import { setUpFixtures } from "./states.ts";
import { createTarget, type OperationId } from "./target.ts";

const TIMEOUT_MS = 10_000;
/** Without these nothing else can be checked. */
const ALWAYS: readonly Group[] = ["reachability", "dialect"];
const CHANGING: readonly OperationId[] = [
  ...(["createCandidate", "updateShift", "assignCandidate", "unassignCandidate"] as const),
  ...(["deleteAssignment", "cancelShift"] as const),
];

/**
 * Verifies a running provider against the contract (spec/provider.openapi.yaml). It changes data at the provider unless `readOnly`
 * is set: shifts and assignments are left as they were, the test people that it creates stay, because the contract has no way to remove them,
 * and the cancellable shift is cancelled.
 * @throws CouldNotRun when there is no provider to verify: nothing answers, or the token is refused
 */
export async function verify(options: VerifyOptions): Promise<Verification> {
  const { timeoutMs = TIMEOUT_MS } = options;
  const http = createProviderHttp({ allowInsecure: true, timeoutMs });
  const { fetch = http.fetch } = options;
  // It takes a second to get ready: the other groups run meanwhile.
  const replayer = isChosen("contracts", options) ? (options.startReplayer ?? startReplayer)() : undefined;
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
  const wait = options.wait ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
  const ledger = openLedger(options, seed);
  ledger.plan(readOnly ? [] : CHANGING);
  const target = createTarget({ baseUrl, providerId, token, fetch, wait, seed });
  const fixtures = await setUpFixtures(options);
  const run = createRun({
    ...{ target, fixtures, other, seed, mayChange: !readOnly, now: options.now ?? Date.now },
    ...{ statesUrl: readOnly ? undefined : options.statesUrl, replayer },
    onFound: ledger.found,
    onAnswer: ledger.answered,
  });
  if (options.routing === "path" || options.routing === "header") run.forms.routing = options.routing;
  try {
    for (const group of groups) await runGroup(group, run, options, ledger);
    ledger.restoring();
  } finally {
    await restore(run);
  }
  return ledger.close(run);
}

function isChosen(group: Group, { only = groups, skip = [] }: VerifyOptions): boolean {
  return ALWAYS.includes(group) || (only.includes(group) && !skip.includes(group));
}

async function runGroup(
  group: Group,
  run: Run,
  options: VerifyOptions,
  ledger: ReturnType<typeof openLedger>,
): Promise<void> {
  if (!isChosen(group, options)) return ledger.leftOut(group);
  ledger.begin(group);
  for (const check of checks.filter((each) => each.group === group)) {
    for await (const outcome of check.run(run)) ledger.take(outcome);
  }
}
