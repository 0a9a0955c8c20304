import { randomUUID } from "node:crypto";
import { PROVIDER_RETRIES, TIMING } from "../../src/clients/retry-policy.ts";
import type { Database } from "../../src/platform/db/database.ts";
import { createThrottle } from "../../src/platform/db/in-batches.ts";
import { type Deps, featureSettings } from "../../src/platform/deps.ts";
import { newId } from "../../src/platform/ids.ts";
import { createVault } from "../../src/platform/integrations/vault.ts";
import { createLinkTokens } from "../../src/platform/links/tokens.ts";
import { silent } from "./engines.ts";
import { configFor, SECRET_KEY } from "./platform.ts";

/** Returns the dependencies of a feature for a test without a platform. Provider calls and reads of personal numbers throw. */
export function depsFor(database: Database, rest: Partial<Deps> = {}): Deps {
  return {
    database,
    log: silent,
    throttle: createThrottle(),
    timing: TIMING,
    retries: PROVIDER_RETRIES,
    ...featureSettings(configFor({})),
    linkTokens: createLinkTokens(SECRET_KEY),
    vault: createVault(SECRET_KEY),
    newId,
    newTraceId: randomUUID,
    now: () => new Date(),
    wakeWorker: () => undefined,
    wakeWorkerIn: () => undefined,
    signals: { next: absent("signals"), subscribe: absent("signals"), close: absent("signals") },
    numbers: { hash: absent("numbers"), columns: absent("numbers"), open: absent("numbers") },
    clientFor: absent("clientFor"),
    trialClientFor: absent("trialClientFor"),
    fetchFor: absent("fetchFor"),
    registryThreads: { run: absent("registryThreads"), close: absent("registryThreads") },
    ...rest,
  };
}

const absent = (name: string) => (): never => {
  throw new Error(`the test has no ${name}`);
};
