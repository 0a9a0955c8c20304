import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../test/harness/embedded-postgres.ts";
import type { ChaosOptions } from "./options.ts";
import { createTarget } from "./target.ts";

const READY_WITHIN_MS = 90_000;
/** Disables the optimising compiler, whose work does not pay off in a short run. */
const FAST = ["--liftoff-only"];

interface Env {
  token: string;
  smtpUrl: string;
  /** The URL of the database, unless it is embedded. */
  url: string | undefined;
}

/** Creates two processes where they can share a database, otherwise one. */
export async function createTargets(options: ChaosOptions, settings: Env) {
  const { fast, entry } = options;
  const ports = [await freePort(), ...(settings.url ? [await freePort()] : [])];
  const env = envOf(options, settings);
  const isPair = options.postgres !== undefined && "failOver" in options.postgres.server;
  const started = { flags: fast ? FAST : [], isPair, ...(entry && { entry }) };
  return {
    targets: ports.map((port) => createTarget({ ...env, PORT: String(port) }, started)),
    urls: ports.map((port) => `http://127.0.0.1:${port}`),
  };
}

function envOf({ dataDir }: ChaosOptions, { token, smtpUrl, url }: Env) {
  const { DATABASE_URL: _, ...env } = process.env;
  return {
    ...env,
    ...(url && { DATABASE_URL: url }),
    ALLOW_INSECURE_PROVIDERS: "1",
    LOG_LEVEL: "fatal",
    OPERATIONS_TOKEN: token,
    PROVIDER_RATE_LIMIT: "0",
    SECRET_KEY: randomBytes(32).toString("base64"),
    SHIFTPACT_DATA: dataDir,
    SMTP_FROM: "shifts@platform.example",
    SMTP_URL: smtpUrl,
    WEBHOOK_RATE_LIMIT: "0",
  };
}

/** Resolves when every process is ready. @throws Error when one is not in time */
export async function untilReady(urls: readonly string[]): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS;
  for (const url of urls) {
    while (!(await isReady(url))) {
      if (performance.now() > until) throw new Error(`the platform at ${url} is not ready after a failover`);
      await sleep(20);
    }
  }
}

const isReady = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
