import { HOUR_MS } from "../../src/contract/timestamp.ts";
import { readConfig } from "../../src/platform/config.ts";
import { startPlatform } from "../../src/platform/main.ts";

/**
 * A platform that acknowledges every webhook and reports that it is idle, but makes few calls after its setup and never retries.
 */
const platform = await startPlatform(readConfig(process.env), {
  retries: { baseMs: HOUR_MS, capMs: HOUR_MS, random: () => 0.99 },
  calls: { perMinute: 8, perSecond: 3, waitMs: 1_000 },
});
process.once("SIGTERM", () => void platform.close().then(() => process.exit(0)));
process.on("message", (message) => {
  if (message === "idle") process.send?.("idle");
});
process.once("disconnect", () => process.exit(0));
process.stdout.write(`${JSON.stringify({ listening: true, port: platform.port })}\n`);
