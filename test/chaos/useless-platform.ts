import { readConfig } from "../../src/platform/config.ts";
import { startPlatform } from "../../src/platform/main.ts";

/**
 * A platform that acknowledges every webhook, claims to be idle, and does hardly anything: after the first calls, with which it is set up, it may
 * make a few calls, and never retries.
 */
const HOUR_MS = 3_600_000;
const platform = await startPlatform(readConfig(process.env), {
  retries: { baseMs: HOUR_MS, capMs: HOUR_MS, random: () => 0.99 },
  calls: { perMinute: 8, perSecond: 3, waitMs: 1_000 },
});
process.once("SIGTERM", () => void platform.close().then(() => process.exit(0)));
process.on("message", (told) => {
  if (told === "idle") process.send?.("idle");
});
process.once("disconnect", () => process.exit(0));
process.stdout.write(`${JSON.stringify({ listening: true, port: platform.port })}\n`);
