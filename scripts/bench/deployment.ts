import { type Child, startChild } from "./child.ts";
import { listen } from "./job-stream.ts";
import { cpuOf, type Resources } from "./machine.ts";
import {
  type Organisation,
  onboard,
  type Platform,
  type Store,
  settle,
  startPlatform,
} from "./organisations.ts";
import { createSender, type FlowParts, sendMany } from "./send.ts";

/** A platform with organisations on its own database, and the sender of its webhooks. */
export interface Deployment extends FlowParts {
  platform: Platform;
  store: Store;
  organisations: readonly Organisation[];
  /** The processes of PostgreSQL; the embedded database is a thread of the platform's. */
  databasePids(): readonly number[];
  end(): Promise<void>;
}

const PEOPLE = 3;

export function startProvider(resources: Resources): Promise<Child> {
  return startChild(resources, new URL("./servers/provider.ts", import.meta.url));
}

interface Deployed {
  store: Store;
  provider: Child;
  organisations: number;
  settings?: Parameters<typeof startPlatform>[2];
}

export async function startDeployment(
  resources: Resources,
  { store, provider, organisations: count, settings }: Deployed,
): Promise<Deployment> {
  const platform = await startPlatform(resources, store, settings);
  await settle(platform, PEOPLE);
  const organisations = await onboard(
    platform,
    Array.from({ length: count }, () => provider.url),
  );
  return open(resources, store, platform, organisations);
}

/** Starts another process on the organisations and data of an ended deployment. */
export async function reopen(
  resources: Resources,
  { store, organisations }: Deployment,
): Promise<Deployment> {
  return open(resources, store, await startPlatform(resources, store), organisations);
}

async function open(
  resources: Resources,
  store: Store,
  platform: Platform,
  organisations: readonly Organisation[],
): Promise<Deployment> {
  const [sender, jobs] = [createSender(), await listen(platform)];
  // An activation reads the shifts once more: measurements begin when the platform is idle.
  await platform.child.ask("idle");
  const end = async () => {
    jobs.stop();
    await sender.close();
    await platform.child.end();
  };
  resources.onClear(end);
  const databasePids = "databaseUrl" in store ? (await resources.postgres()).pids : () => [];
  return { platform, store, organisations, sender, jobs, url: platform.child.url, databasePids, end };
}

/** The throughput of the platform with many events. */
export interface Pipelined {
  /** Events a second, from the first webhook until the platform is idle. */
  rate: number;
  /** CPU time for an event: of the platform's processes, and of PostgreSQL. Milliseconds. */
  serverCpu: number;
  databaseCpu: number;
}

/** Measures the throughput. `more`: other processes of the platform. */
export async function pipeline(
  deployment: Deployment,
  count: number,
  more: readonly Platform[] = [],
): Promise<Pipelined> {
  const children = [deployment.platform, ...more].map(({ child }) => child);
  const used = async () => [await cpuOfAll(children), cpuOf(deployment.databasePids())] as const;
  const before = await used();
  const begun = performance.now();
  await sendMany(
    deployment.sender,
    children.map(({ url }) => url),
    deployment.organisations,
    count,
  );
  await Promise.all(children.map((child) => child.ask("idle")));
  const seconds = (performance.now() - begun) / 1_000;
  const after = await used();
  await refuseFailures(deployment.platform);
  const [serverCpu, databaseCpu] = [after[0] - before[0], after[1] - before[1]].map(
    (us) => us / 1_000 / count,
  ) as [number, number];
  return { rate: count / seconds, serverCpu, databaseCpu };
}

async function cpuOfAll(children: readonly Child[]): Promise<number> {
  const each = await Promise.all(children.map((child) => child.cpu()));
  return each.reduce((sum, us) => sum + us, 0);
}

/** Events that were given up, or still wait, would falsify the throughput. */
async function refuseFailures({ operations }: Platform): Promise<void> {
  for (const status of ["queued", "failed", "dead"] as const) {
    const { data } = await operations.listEvents({ params: { query: { status, limit: 1 } } });
    const [event] = data?.items ?? [];
    if (event || !data) throw new Error(`an event is ${status}: ${event?.verdict ?? "no verdict"}`);
  }
}
