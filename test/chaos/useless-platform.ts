import { readConfig } from "../../src/platform/config.ts";
import { startPlatform } from "../../src/platform/main.ts";

/**
 * A platform that acknowledges every webhook and gives its event up at once: after the first calls, with which it is set up, it may ask
 * the provider hardly anything more.
 */
const platform = await startPlatform(readConfig(process.env), {
  retries: { tries: 1, patienceMs: -1, baseMs: 1, capMs: 1 },
  calls: { perMinute: 15, perSecond: 3, waitMs: 0 },
});
process.once("SIGTERM", () => void platform.close().then(() => process.exit(0)));
process.on("message", (told) => {
  if (told === "idle") void platform.idle().then(() => process.send?.("idle"));
});
process.once("disconnect", () => process.exit(0));
process.stdout.write(`${JSON.stringify({ listening: true, port: platform.port })}\n`);
