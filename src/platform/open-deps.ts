import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { CALL_LIMITS, type CallLimits } from "../clients/provider/call-policy.ts";
import {
  circuitLimits,
  PROVIDER_RETRIES,
  type RetryPolicy,
  TIMING,
  type Timing,
} from "../clients/retry-policy.ts";
import { createBacklogs } from "./backlog/backlogs.ts";
import { openPersonalNumbers } from "./candidates/candidate.ts";
import { type Config, openConfigured } from "./config.ts";
import type { Database } from "./db/database.ts";
import { createThrottle } from "./db/in-batches.ts";
import { requireSamePlace } from "./db/postgres/server.ts";
import { joinProcesses } from "./db/processes.ts";
import { openSignals } from "./db/signals.ts";
import {
  type Channel,
  type CheckProvider,
  type Deps,
  featureSettings,
  type NotificationWebhook,
} from "./deps.ts";
import { newId } from "./ids.ts";
import { createRejectedWebhooks } from "./inbox/rejected-webhooks.ts";
import { createProviderClients } from "./integrations/clients.ts";
import { noteBroken, noteCircuit, noteSilence } from "./integrations/conditions.ts";
import { probe } from "./integrations/probe.ts";
import { importOnce, REGISTRY_WORKER } from "./integrations/registry/registry.ts";
import { checkSecretKeys, createVault } from "./integrations/vault.ts";
import { openSealedKey } from "./kept-secrets.ts";
import { createLinkTokens } from "./links/tokens.ts";
import { createFigures } from "./metrics/figures.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { toAll } from "./metrics/observer.ts";
import { createReadings } from "./metrics/readings.ts";
import { deliverMail } from "./notifications/deliver.ts";
import { createEmailChannel } from "./notifications/email.ts";
import { createNotificationWebhook, handOver } from "./notifications/webhook.ts";
import { reconcilePerson } from "./people/run.ts";
import { reconcileShift } from "./shifts/run.ts";
import type { Shutdown } from "./shut-down.ts";
import { createThreads, type ThreadOptions } from "./threads/threads.ts";
import { checkOnce, createCheck } from "./verification/check.ts";
import { refresh } from "./work/refresh.ts";
import { traced } from "./work/traced.ts";
import { Worker } from "./work/worker.ts";

/** Settings of tests and the demo for the parts below HTTP. */
export interface DepsOptions {
  /** An open database, which stays open; the one of the configuration unless given. */
  database?: Database;
  /** Delivers the notifications; as configured unless given. */
  channel?: Channel;
  webhook?: NotificationWebhook;
  now?: () => Date;
  timing?: Partial<Timing>;
  retries?: Partial<RetryPolicy>;
  /** Of one call to a provider. Milliseconds. */
  providerTimeoutMs?: number;
  /** Of the calls to each provider. */
  calls?: Partial<CallLimits>;
  /** Labels of the metric `shiftpact_build_info`. */
  about?: { version: string };
  /** Checks a provider when it is activated; no check unless given. */
  checkProvider?: CheckProvider;
  /** Of the threads that read registries. */
  registryThreads?: Partial<ThreadOptions>;
}

/** Concurrent runs of this process. One that waits for its provider costs next to nothing. */
const PLACES = 1_000;

/** The database, and the parts that use it. */
export async function openDeps(config: Config, options: DepsOptions, log: Logger, shutdown: Shutdown) {
  const { allowInsecureProviders: allowInsecure } = config;
  const { providerTimeoutMs: timeoutMs = TIMING.callTimeoutMs, now = () => new Date() } = options;
  const vault = createVault(config.secretKey, config.olderSecretKeys);
  const database = options.database ?? (await openConfigured(config, log));
  if (!options.database) shutdown.closeLast(database.close);
  await requireSamePlace(database.raw.executeSql);
  await checkSecretKeys(database.raw.executeSql, vault);
  const numbers = await openPersonalNumbers(database, vault);
  const processes = await joinProcesses(database, log);
  const figures = createFigures({ database, log, now });
  const rejections = createRejectedWebhooks({ database, log, newId, now });
  // Together, so that a database that does not answer costs the waiting time only once.
  shutdown.closeLast(() => Promise.all([rejections.close(), figures.close(), processes.leave()]));
  const backlogs = createBacklogs({
    database,
    now,
    figures,
    tries: options.retries?.tries ?? PROVIDER_RETRIES.tries,
    limits: { ...CALL_LIMITS, ...callLimits(config, options) },
  });
  const about = { engine: database.engine, node: process.versions.node, ...options.about };
  const readings = createReadings(database, backlogs.all);
  const metrics = createMetrics({
    readings,
    ping: database.ping,
    log,
    about,
    ...(database.pools && { pools: database.pools }),
  });
  const observer = toAll(metrics, figures);
  const clients = createProviderClients({
    database,
    now,
    vault,
    log,
    http: { allowInsecure, timeoutMs },
    limits: callLimits(config, options),
    processes,
    onCall: observer.providerCalled,
    onCircuit: (providerId, circuit) => {
      if (circuit.state === "closed") worker.responds(providerId);
      return noteCircuit(deps, providerId, circuit, processes.count());
    },
    onSilence: (providerId, until) => noteSilence(deps, providerId, until),
    onBroken: (providerId) => noteBroken(deps, providerId),
  });
  shutdown.closeLast(clients.close);
  const registries = createThreads({ file: REGISTRY_WORKER, atOnce: 2, ...options.registryThreads });
  shutdown.closeLast(registries.close);
  const signals = await openSignals(database);
  shutdown.closeLast(signals.close);
  const channel = options.channel ?? (config.mail && createEmailChannel(config.mail));
  shutdown.closeLast(() => channel?.close());
  const webhook =
    options.webhook ??
    (config.webhook && createNotificationWebhook({ ...config.webhook, allowInsecure, now }));
  shutdown.closeLast(() => webhook?.close());
  const deps: Deps = {
    database,
    signals,
    log,
    vault,
    numbers,
    now,
    newId,
    wakeWorker: (providerIds) => worker.wake(providerIds),
    wakeWorkerIn: (ms) => worker.wakeIn(ms),
    ...featureSettings(config),
    linkTokens: createLinkTokens(await openSealedKey(database, vault, "links")),
    timing: { ...TIMING, callTimeoutMs: timeoutMs, ...options.timing },
    retries: { ...PROVIDER_RETRIES, ...options.retries },
    newTraceId: randomUUID,
    eventsEnded: metrics.eventsEnded,
    throttle: createThrottle(),
    clientFor: clients.clientFor,
    fetchFor: clients.fetchFor,
    registryThreads: registries,
    trialClientFor: clients.trialClientFor,
    ...(options.checkProvider && { checkProvider: createCheck(options.checkProvider, clients, vault) }),
    ...(channel && { channel }),
    ...(webhook && { webhook }),
  };
  const worker = workerOf(deps, options, shutdown);
  return { deps, worker, rejections, figures, backlogs, metrics, observer };
}

function workerOf(deps: Deps, { calls }: DepsOptions, shutdown: Shutdown): Worker {
  const { database, log, retries, timing, channel, webhook } = deps;
  const stopping = new AbortController();
  shutdown.stopFirst(() => stopping.abort());
  return new Worker({
    database,
    log,
    retries,
    hourlyMs: timing.hourlyMs,
    places: PLACES,
    atOnce: calls?.atOnce ?? CALL_LIMITS.atOnce,
    runs: {
      shift: traced(deps, reconcileShift(deps)),
      person: traced(deps, reconcilePerson(deps)),
      probe: probe(deps),
      refresh: refresh(deps),
      registry: traced(deps, importOnce(deps, stopping.signal)),
      ...(deps.checkProvider && { check: checkOnce(deps, stopping.signal) }),
      ...(channel && { mail: traced(deps, deliverMail(deps, channel)) }),
      ...(webhook && { webhook: traced(deps, handOver(deps, webhook)) }),
    },
  });
}

function callLimits(
  { providerRateLimit: perMinute }: Config,
  { retries, calls }: DepsOptions,
): Partial<CallLimits> {
  return {
    ...circuitLimits({ ...PROVIDER_RETRIES, ...retries }),
    perMinute,
    perSecond: Math.max(1, Math.ceil(perMinute / 50)),
    ...calls,
  };
}
