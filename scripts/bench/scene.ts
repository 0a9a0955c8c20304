import { type Child, startChild } from "./child.ts";
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
  const [sender, news] = [createSender(), await listen(platform)];
  const end = async () => {
    news.stop();
    await sender.close();
    await platform.child.end();
  };
  ground.ends(end);
  return { platform, store, organisations, sender, news, url: platform.child.url, end };
}

/** Events a second from the first webhook to the moment at which nothing is left to do. `more`: other processes that take part. */
export async function pipeline(scene: Scene, count: number, more: readonly Platform[] = []): Promise<number> {
  const children = [scene.platform, ...more].map(({ child }) => child);
  const begun = performance.now();
  await sendMany(
    scene.sender,
    children.map(({ url }) => url),
    scene.organisations,
    count,
  );
  await Promise.all(children.map((child) => child.ask("idle")));
  const seconds = (performance.now() - begun) / 1_000;
  await refuseFailures(scene.platform);
  return count / seconds;
}

/** Events that were given up, or still wait, would make the platform look quick. */
async function refuseFailures({ operations }: Platform): Promise<void> {
  for (const status of ["queued", "failed", "dead"] as const) {
    const { data } = await operations.listEvents({ params: { query: { status, limit: 1 } } });
    const [event] = data?.items ?? [];
    if (event || !data) throw new Error(`an event is ${status}: ${event?.verdict ?? "nobody knows why"}`);
  }
}
