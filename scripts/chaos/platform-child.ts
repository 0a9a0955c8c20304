import { readConfig } from "../../src/platform/config.ts";
import { startPlatform } from "../../src/platform/main.ts";

/**
 * The platform as `shiftpact platform` runs it, but brisk: what waits seconds to minutes there, so that a provider is spared, waits
 * milliseconds here. Twelve tries and all the rest are as in operation.
 */
const platform = await startPlatform(readConfig(process.env), {
  timing: { absenceRetriesMs: [20, 50, 100], answerWithinMs: 300 },
  retries: { baseMs: 20, capMs: 400 },
  providerTimeoutMs: 1_000,
  calls: { perMinute: 0 },
});
process.stdout.write(`${JSON.stringify({ listening: true, port: platform.port })}\n`);
process.once("SIGTERM", () => void platform.close().then(() => process.exit(0)));
process.on("message", () => void platform.idle().then(() => process.send?.("idle")));
// Nobody is left who would end it.
process.once("disconnect", () => process.exit(0));
void platform.lost.then((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
