import { resourceLimits } from "node:worker_threads";
import { fetchThrough, serveThread } from "../../../src/platform/threads/serve-thread.ts";

/** What the thread of a test does; the inputs of the platform's own threads name a provider instead. */
interface Input {
  does?: "calls" | "computes" | "waits" | "allocates" | "measures" | "exits" | "throws";
  baseUrl?: string;
  target?: { baseUrl: string };
}

await serveThread(async ({ does = "computes", baseUrl, target }: Input, call) => {
  const url = target?.baseUrl ?? baseUrl;
  // The provider learns that the thread runs.
  if (url !== undefined) await fetchThrough(call)(new Request(`${url}/begun`));
  else await call("begun", does);
  const kept: unknown[] = [];
  if (does === "throws") throw new Error("no token");
  if (does === "exits") process.exit(3);
  if (does === "waits") await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1));
  while (does === "computes" || does === "allocates")
    if (does === "allocates") kept.push({ at: kept.length });
  return call("answers", does === "measures" ? `may use ${resourceLimits.maxOldGenerationSizeMb} MB` : does);
});
