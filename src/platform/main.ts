import type { Logger } from "pino";
import { type AppParts, createApps, createManagementApp } from "./app.ts";
import type { Config } from "./config.ts";
import type { Engine } from "./db/database.ts";
import { knownVersion, schemaVersion } from "./db/migrate.ts";
import type { Deps } from "./deps.ts";
import { serve } from "./http/serve.ts";
import { createDispatcher } from "./inbox/dispatch.ts";
import { createReadiness } from "./inbox/readiness.ts";
import { createInbox } from "./inbox/receive.ts";
import { reseal } from "./integrations/vault.ts";
import { createLog } from "./log.ts";
import { warnOfMissingLinks, warnOfUndelivered } from "./notifications/deliver.ts";
import { type DepsOptions, openDeps } from "./open-deps.ts";
import { createShutdown, type Shutdown } from "./shut-down.ts";
import { createStream } from "./stream.ts";
import { createUpkeep, type UpkeepOptions } from "./upkeep/upkeep.ts";

export interface Platform {
  /** The engine of its database, and the number of the last migration. */
  database: { engine: Engine; schema: string };
  /** The address that it listens on; `url` has one that leads to it. */
  host: string;
  port: number;
  /** Of the management listener, if there is one. */
  managementPort?: number;
  /** Of the listener for the internet, if there is one. */
  publicPort?: number;
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
export interface PlatformOptions extends DepsOptions {
  log?: Logger;
  upkeep?: UpkeepOptions;
  /** How often the operator of an open stream is checked. Milliseconds. */
  streamCheckMs?: number;
  /** The console and the documentation; not served unless given. */
  pages?: AppParts["pages"];
}

/** Starts the platform: database, queue, inbox, HTTP. Rejects with one clear line when a part cannot start. */
export async function startPlatform(config: Config, options: PlatformOptions = {}): Promise<Platform> {
  const log = options.log ?? createLog(config.logLevel);
  const shutdown = createShutdown(log);
  try {
    return await startParts(config, options, log, shutdown);
  } catch (error) {
    await shutdown.close(0);
    throw error;
  }
}

async function startParts(
  config: Config,
  options: PlatformOptions,
  log: Logger,
  shutdown: Shutdown,
): Promise<Platform> {
  const { allowInsecureProviders, operationsToken, webhookRateLimit, unknownTokenLimit } = config;
  const { deps, worker, ...counted } = await openDeps(config, options, log, shutdown);
  const { database, signals } = deps;
  const dispatcher = createDispatcher(deps);
  const readiness = createReadiness({ database, log, knownSchema: await knownVersion() });
  const inbox = createInbox({
    db: { kysely: database.inbox, isDistributed: database.isDistributed },
    onStored: dispatcher.stored,
    onAttempt: readiness.attempted,
    throttle: deps.throttle,
    now: () => deps.now().getTime(),
  });
  const upkeep = createUpkeep(deps, { retention: config.retention, ...options.upkeep });
  const stream = createStream(signals);
  shutdown.stopFirst(stream.close);
  shutdown.stopFirst(upkeep.stop);
  shutdown.stopFirst(dispatcher.stop);
  shutdown.stopWorker(worker);
  let isDraining = false;
  const parts: AppParts = {
    deps,
    inbox,
    readiness,
    stream,
    log,
    ...counted,
    isDraining: () => isDraining,
    operationsToken,
    allowInsecureProviders,
    webhookRateLimit,
    unknownTokenLimit,
    ...(options.streamCheckMs !== undefined && { streamCheckMs: options.streamCheckMs }),
    ...(config.management && { management: config.management }),
    ...(config.trustProxy !== undefined && { trustProxy: config.trustProxy }),
    ...(options.pages && { pages: options.pages }),
  };
  const management = config.management && (await serve(createManagementApp(parts), config.management));
  if (management) shutdown.closeLast(() => management.close(0));
  const { app, publicApp } = createApps(parts);
  const server = await serve(app, config);
  shutdown.stopServer(server);
  const publicServer = config.publicPlace && (await serve(publicApp, config.publicPlace));
  if (publicServer) shutdown.stopServer(publicServer);
  await worker.start();
  if (!deps.channel) await warnOfUndelivered(deps);
  warnOfMissingLinks(deps);
  dispatcher.start();
  upkeep.start();
  resealInBackground(deps, shutdown);
  return {
    database: { engine: database.engine, schema: await schemaVersion(database.raw) },
    host: server.host,
    port: server.port,
    url: server.url,
    operationsToken,
    ...(management && { managementPort: management.port }),
    ...(publicServer && { publicPort: publicServer.port }),
    lost: database.lost,
    drain: () => {
      isDraining = true;
      server.drain();
      publicServer?.drain();
    },
    idle: async () => {
      await dispatcher.run();
      await worker.idle();
    },
    close: shutdown.close,
  };
}

/** A process that ends meanwhile leaves the rest to the next start. */
function resealInBackground(deps: Deps, shutdown: Shutdown): void {
  const stopping = new AbortController();
  const resealing = reseal(deps, stopping.signal).catch((error) =>
    deps.log.error({ err: error }, "could not seal everything again; the next start retries"),
  );
  shutdown.stopFirst(() => stopping.abort());
  shutdown.closeLast(() => resealing);
}
