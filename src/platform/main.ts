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
import { type AppParts, createApp, createManagementApp } from "./app.ts";
import { createBacklogs } from "./backlog/backlogs.ts";
import { openPersonalNumbers } from "./candidates/personal-numbers.ts";
import { createNumberSealing } from "./candidates/seal-numbers.ts";
import type { Config } from "./config.ts";
import { openConfigured } from "./configured-database.ts";
import type { Database, Engine } from "./db/database.ts";
import { knownVersion, schemaVersion } from "./db/migrate.ts";
import { createPace } from "./db/pace.ts";
import { joinProcesses } from "./db/processes.ts";
import { openSignals } from "./db/signals.ts";
import type { Channel, CheckProvider, Deps } from "./deps.ts";
import { serve } from "./http/serve.ts";
import { newId } from "./ids.ts";
import { createDispatcher } from "./inbox/dispatch.ts";
import { createReadiness } from "./inbox/readiness.ts";
import { createInbox } from "./inbox/receive.ts";
import { createProviderClients } from "./integrations/clients.ts";
import { createFieldUses } from "./integrations/field-uses.ts";
import { noteCircuit, noteSilence } from "./integrations/health.ts";
import { probe } from "./integrations/probe.ts";
import { checkSecretKeys, reseal } from "./integrations/reseal.ts";
import { detectInBackground } from "./integrations/routing.ts";
import { createVault } from "./integrations/vault.ts";
import { createLog } from "./log.ts";
import { followLogLevel } from "./log-level.ts";
import { createFigures, type Figures } from "./metrics/figures.ts";
import { createMetrics } from "./metrics/metrics.ts";
import { toAll } from "./metrics/observer.ts";
import { createReadings } from "./metrics/readings.ts";
import { deliverMail, warnOfUndelivered } from "./notifications/deliver.ts";
import { createEmailChannel } from "./notifications/email.ts";
import { reconcilePerson } from "./people/run.ts";
import { reconcileShift } from "./shifts/run.ts";
import { createRunning, type Running } from "./shut-down.ts";
import { createStream } from "./stream/stream.ts";
import type { OpenTelemetry } from "./telemetry/open-telemetry.ts";
import { traced } from "./telemetry/traced.ts";
import { NO_TRACING, type Tracing } from "./tracing.ts";
import { createUpkeep, type UpkeepOptions } from "./upkeep/upkeep.ts";
import { checkOnce, createCheck } from "./verification/check.ts";
import { refresh } from "./work/refresh.ts";
import { createWorker, type Worker } from "./work/worker.ts";

export interface Platform {
  /** The engine of its database, and the number of the last migration. */
  database: { engine: Engine; schema: string };
  /** The address that it listens on; `url` has one that leads to it. */
  host: string;
  port: number;
  /** Of the management listener, if there is one. */
  managementPort?: number;
  url: string;
  operationsToken: string;
  /** Resolves when every stored event is processed and no work is due, retries included. */
  idle(): Promise<void>;
  /** Resolves, with the reason, when this process must end because it has lost its database. */
  lost: Promise<Error>;
  /** Reports from now on that it is not ready, and goes on serving: a load balancer sends its requests elsewhere before `close`. */
  drain(): void;
  /**
   * Finishes requests in progress, then stops; work that is not finished after `graceMs` (8 s unless given) continues at the next
   * start. Never rejects, and ends within 10 s.
   */
  close(graceMs?: number): Promise<void>;
}

/** Settings of tests and the demo. */
export interface PlatformOptions {
  log?: Logger;
  /** An open database, which stays open; the one of the configuration unless given. */
  database?: Database;
  /** Delivers the notifications; as configured unless given. */
  channel?: Channel;
  now?: () => Date;
  timing?: Partial<Timing>;
  retries?: Partial<RetryPolicy>;
  /** Of one call to a provider. Milliseconds. */
  providerTimeoutMs?: number;
  upkeep?: UpkeepOptions;
  /** How often the operator of an open stream is checked. Milliseconds. */
  streamCheckMs?: number;
  /** Of the calls to each provider. */
  calls?: Partial<CallLimits>;
  /** Between two exports of the metrics over OTLP: 60 s unless given. Milliseconds. */
  metricsEveryMs?: number;
  /** Labels of the metric `shiftpact_build_info`. */
  about?: { version: string };
  /** Checks a provider when it is activated; no check unless given. */
  checkProvider?: CheckProvider;
  /** Serves reads only, and does no work. */
  readOnly?: boolean;
  /** The console and the documentation; not served unless given. */
  pages?: AppParts["pages"];
}

/** Concurrent runs of this process. One that waits for its provider costs next to nothing. */
const PLACES = 1_000;

/** Starts the platform: database, queue, inbox, HTTP. Rejects with one clear line when a part cannot start. */
export async function startPlatform(config: Config, options: PlatformOptions = {}): Promise<Platform> {
  const log = options.log ?? createLog(config.logLevel);
  const running = createRunning(log);
  try {
    return await startParts(config, options, log, running);
  } catch (error) {
    await running.close(0);
    throw error;
  }
}

async function startParts(
  config: Config,
  options: PlatformOptions,
  log: Logger,
  running: Running,
): Promise<Platform> {
  const { allowInsecureProviders, operationsToken, webhookRateLimit, unknownTokenLimit } = config;
  const { deps, worker, sealing, processes, ...counted } = await openDeps(config, options, log, running);
  const { database, signals } = deps;
  const dispatcher = createDispatcher(deps);
  const inbox = createInbox({
    db: { kysely: database.inbox },
    onStored: dispatcher.stored,
    pace: deps.pace,
    now: () => deps.now().getTime(),
  });
  const readiness = createReadiness({ database, log, knownSchema: await knownVersion() });
  const upkeep = createUpkeep(deps, {
    ...(config.retention && { retention: config.retention }),
    ...options.upkeep,
  });
  const stream = createStream(signals);
  running.feeds(stream.close);
  running.feeds(upkeep.stop);
  running.feeds(dispatcher.stop);
  running.works(worker);
  let isDraining = false;
  const parts: AppParts = {
    ...{ deps, inbox, readiness, stream, log, processes, ...counted, isDraining: () => isDraining },
    ...{ operationsToken, allowInsecureProviders, webhookRateLimit },
    ...(options.streamCheckMs !== undefined && { streamCheckMs: options.streamCheckMs }),
    ...(unknownTokenLimit !== undefined && { unknownTokenLimit }),
    ...(config.management && { management: config.management }),
    ...(config.trustProxy !== undefined && { trustProxy: config.trustProxy }),
    ...(options.pages && { pages: options.pages }),
    ...(options.readOnly && { readOnly: true }),
  };
  const management = config.management && (await serve(createManagementApp(parts), config.management));
  if (management) running.holds(() => management.close(0));
  // Before the first request, so that no number is stored in clear unless another process needs it.
  if (!options.readOnly) await sealing.start();
  const server = await serve(createApp(parts), config);
  running.serves(server);
  if (!options.readOnly) {
    await worker.start();
    if (!deps.channel) await warnOfUndelivered(deps);
    dispatcher.start();
    upkeep.start();
    resealInBackground(deps, running);
  }
  return {
    database: { engine: database.engine, schema: await schemaVersion(database.raw) },
    host: server.host,
    port: server.port,
    url: server.url,
    operationsToken,
    ...(management && { managementPort: management.port }),
    lost: database.lost,
    drain: () => {
      isDraining = true;
      server.drain();
    },
    idle: async () => {
      await dispatcher.run();
      await worker.idle();
    },
    close: running.close,
  };
}

/** A process that ends meanwhile leaves the rest to the next start. */
function resealInBackground(deps: Deps, running: Running): void {
  const stopping = new AbortController();
  const resealing = reseal(deps, stopping.signal).catch((error) =>
    deps.log.error({ err: error }, "could not seal everything again; the next start retries"),
  );
  running.feeds(() => stopping.abort());
  running.holds(() => resealing);
}

/** The database, and the parts that use it. */
async function openDeps(config: Config, options: PlatformOptions, log: Logger, running: Running) {
  const { allowInsecureProviders: allowInsecure } = config;
  const { providerTimeoutMs: timeoutMs = TIMING.callTimeoutMs, now = () => new Date() } = options;
  const vault = createVault(config.secretKey, config.olderSecretKeys);
  const tracing = await startTracing(config, options, log);
  // Closed after everything that it traces.
  running.holds(() => tracing.close?.());
  const onQuery = tracing.isOn ? tracing.queried : undefined;
  const database = options.database ?? (await openConfigured(config, log, undefined, onQuery));
  if (!options.database) running.holds(database.close);
  await checkSecretKeys(database, vault);
  const numbers = await openPersonalNumbers(database, vault);
  const processes = await joinProcesses(database, log);
  const fieldUses = createFieldUses({ database, log });
  const figures = createFigures({ database, log, now });
  // Together, so that a database that does not answer costs the waiting time only once.
  running.holds(() => Promise.all([fieldUses.close(), figures.close(), processes.leave()]));
  const backlogs = createBacklogs({
    ...{ database, now, figures, tries: options.retries?.tries ?? PROVIDER_RETRIES.tries },
    limits: { ...CALL_LIMITS, ...callLimits(config, options) },
  });
  const about = { engine: database.engine, node: process.versions.node, ...options.about };
  const readings = createReadings(database, backlogs.all);
  const metrics = createMetrics({
    ...{ readings, ping: database.ping, log, about },
    ...(database.pools && { pools: database.pools }),
  });
  tracing.exports?.(metrics);
  const observer = toAll(metrics, figures);
  const clients = createProviderClients({
    ...{ database, vault, log, tracing },
    http: { allowInsecure, timeoutMs },
    limits: callLimits(config, options),
    processes: () => processes.count(),
    onCall: observer.providerCalled,
    onCircuit: (providerId, state) => {
      if (state === "closed") worker.responds(providerId);
      return noteCircuit(deps, providerId, state, processes.count());
    },
    onSilence: (providerId, ms) => noteSilence(deps, providerId, ms),
    onFields: fieldUses.note,
    onUndetected: (integration) => detectInBackground(deps, integration),
  });
  running.holds(clients.close);
  const signals = await openSignals(database);
  running.holds(signals.close);
  running.holds(followLogLevel(log, signals));
  const channel = options.channel ?? (config.mail && createEmailChannel(config.mail));
  running.holds(() => channel?.close());
  const deps: Deps = {
    ...{ database, signals, log, tracing, vault, numbers, now, newId },
    wakeWorker: () => worker.wake(),
    wakeWorkerIn: (ms) => worker.wakeIn(ms),
    timing: { ...TIMING, callTimeoutMs: timeoutMs, ...options.timing },
    retries: { ...PROVIDER_RETRIES, ...options.retries },
    newTraceId: randomUUID,
    eventsEnded: metrics.eventsEnded,
    pace: createPace(),
    clientFor: clients.clientFor,
    trialClientFor: clients.trialClientFor,
    ...(options.checkProvider && { checkProvider: createCheck(options.checkProvider, clients, vault) }),
    ...(channel && { channel }),
  };
  const keepClear = config.clearPersonalNumbers ?? false;
  const sealing = createNumberSealing({ database, numbers, vault, log, keepClear });
  running.holds(sealing.stop);
  const worker = workerOf(deps, options, running, figures);
  return { deps, worker, sealing, processes, fieldUses, figures, backlogs, metrics, observer };
}

/** Nothing of OpenTelemetry is loaded unless it is configured. */
async function startTracing(
  { telemetry }: Config,
  { about, metricsEveryMs }: PlatformOptions,
  log: Logger,
): Promise<Tracing & Partial<Pick<OpenTelemetry, "exports" | "close">>> {
  if (!telemetry) return NO_TRACING;
  const { startOpenTelemetry } = await import("./telemetry/open-telemetry.ts");
  const every = metricsEveryMs === undefined ? {} : { metricsEveryMs };
  return startOpenTelemetry({ telemetry, version: about?.version, log, ...every });
}

function workerOf(deps: Deps, { calls }: PlatformOptions, running: Running, { counted }: Figures): Worker {
  const { database, log, retries, timing, channel } = deps;
  const stopping = new AbortController();
  running.feeds(() => stopping.abort());
  return createWorker({
    ...{ database, log, retries, hourlyMs: timing.hourlyMs, places: PLACES },
    atOnce: calls?.atOnce ?? CALL_LIMITS.atOnce,
    runs: {
      shift: counted(traced(deps, reconcileShift(deps))),
      person: counted(traced(deps, reconcilePerson(deps))),
      probe: probe(deps),
      refresh: refresh(deps),
      ...(deps.checkProvider && { check: checkOnce(deps, stopping.signal) }),
      ...(channel && { mail: traced(deps, deliverMail(deps, channel)) }),
    },
  });
}

function callLimits(
  { providerRateLimit: perMinute }: Config,
  { retries, calls }: PlatformOptions,
): Partial<CallLimits> {
  return {
    ...circuitLimits({ ...PROVIDER_RETRIES, ...retries }),
    ...(perMinute !== undefined && { perMinute, perSecond: Math.max(1, Math.ceil(perMinute / 50)) }),
    ...calls,
  };
}
