import { type Child, startChild } from "./child.ts";
import { cpuOf } from "./cpu.ts";
import type { Ground } from "./ground.ts";
import { listen } from "./news.ts";
import {
  type Organisation,
  onboard,
  type Platform,
  type Store,
  settle,
  startPlatform,
} from "./organisations.ts";
import { createSender, type FlowParts, sendMany } from "./send.ts";

/** A platform with organisations on a database of its own, and whoever sends it webhooks. */
export interface Scene extends FlowParts {
  platform: Platform;
  store: Store;
  organisations: readonly Organisation[];
  /** The processes of PostgreSQL; the embedded database is a thread of the platform's. */
  databasePids(): readonly number[];
  end(): Promise<void>;
}

const PEOPLE = 3;

export function startProvider(ground: Ground): Promise<Child> {
  return startChild(ground, new URL("./servers/provider.ts", import.meta.url));
}

export async function startScene(
  ground: Ground,
  { store, provider, organisations: count }: { store: Store; provider: Child; organisations: number },
): Promise<Scene> {
  const platform = await startPlatform(ground, store);
  await settle(platform, PEOPLE);
  const organisations = await onboard(
    platform,
    Array.from({ length: count }, () => provider.url),
  );
  return open(ground, store, platform, organisations);
}

/** The same organisations and data, once the scene has ended, with another process. */
export async function reopen(ground: Ground, { store, organisations }: Scene): Promise<Scene> {
  return open(ground, store, await startPlatform(ground, store), organisations);
}

async function open(
  ground: Ground,
  store: Store,
  platform: Platform,
  organisations: readonly Organisation[],
): Promise<Scene> {
  const [sender, news] = [createSender(), await listen(platform)];
  // Activated, they are read once more: a scene begins at rest.
  await platform.child.ask("idle");
  const end = async () => {
    news.stop();
    await sender.close();
    await platform.child.end();
  };
  ground.ends(end);
  const databasePids = "databaseUrl" in store ? (await ground.postgres()).pids : () => [];
  return { platform, store, organisations, sender, news, url: platform.child.url, databasePids, end };
}

/** What the platform did with many events. */
export interface Pipelined {
  /** Events a second from the first webhook to the moment at which nothing is left to do. */
  rate: number;
  /** CPU of an event: of the platform's processes, and of PostgreSQL. Milliseconds. */
  serverCpu: number;
  databaseCpu: number;
}

/** `more`: other processes that take part. */
export async function pipeline(
  scene: Scene,
  count: number,
  more: readonly Platform[] = [],
): Promise<Pipelined> {
  const children = [scene.platform, ...more].map(({ child }) => child);
  const used = async () => [await cpuOfAll(children), cpuOf(scene.databasePids())] as const;
  const before = await used();
  const begun = performance.now();
  await sendMany(
    scene.sender,
    children.map(({ url }) => url),
    scene.organisations,
    count,
  );
  await Promise.all(children.map((child) => child.ask("idle")));
  const seconds = (performance.now() - begun) / 1_000;
  const after = await used();
  await refuseFailures(scene.platform);
  const [serverCpu, databaseCpu] = [after[0] - before[0], after[1] - before[1]].map(
    (us) => us / 1_000 / count,
  ) as [number, number];
  return { rate: count / seconds, serverCpu, databaseCpu };
}

async function cpuOfAll(children: readonly Child[]): Promise<number> {
  const each = await Promise.all(children.map((child) => child.cpu()));
  return each.reduce((sum, us) => sum + us, 0);
}

/** Events that were given up, or still wait, would make the platform look quick. */
async function refuseFailures({ operations }: Platform): Promise<void> {
  for (const status of ["queued", "failed", "dead"] as const) {
    const { data } = await operations.listEvents({ params: { query: { status, limit: 1 } } });
    const [event] = data?.items ?? [];
    if (event || !data) throw new Error(`an event is ${status}: ${event?.verdict ?? "nobody knows why"}`);
  }
}
