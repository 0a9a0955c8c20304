import { readConfig } from "../../src/platform/config.ts";
import { startPlatform } from "../../src/platform/main.ts";
import { ABSENCE_RETRIES_MS, RECONCILE_MS } from "./timing.ts";

/**
 * The platform as `shiftpact platform` runs it, but with short waits: what waits minutes to hours there, so that a provider is spared, waits milliseconds to
 * seconds here. Twelve attempts and all the rest are as in operation.
 */

const jump = jumpingClock();
const platform = await startPlatform(readConfig(process.env), {
  timing: {
    ...{ absenceRetriesMs: ABSENCE_RETRIES_MS, recheckMs: [20, 50, 100, 200], answerWithinMs: 300 },
    ...{ reconcileMs: RECONCILE_MS, hourlyMs: 1_000, probeMs: 200 },
  },
  retries: { baseMs: 20, capMs: 400 },
  providerTimeoutMs: 1_000,
  calls: { perMinute: 0 },
});
process.once("SIGTERM", () => void platform.close().then(() => process.exit(0)));
// A process that is stopped before it is idle sends nothing: the checks find what is unfinished.
const reportIdle = () =>
  platform.idle().then(
    () => void process.send?.("idle"),
    () => undefined,
  );
process.on("message", (message: "idle" | { jumpMs: number }) => {
  if (message === "idle") void reportIdle();
  else jump(message.jumpMs);
});
// Its parent has ended.
process.once("disconnect", () => process.exit(0));
// Last: who hears it may stop the process at once.
process.stdout.write(`${JSON.stringify({ listening: true, port: platform.port })}\n`);
void platform.lost.then((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});

/** From now on every clock of this thread is so far from the machine's, as when somebody sets the machine's. Milliseconds. */
function jumpingClock(): (ms: number) => void {
  const Real = Date;
  let offset = 0;
  globalThis.Date = class extends Real {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [Real.now() + offset] : given) as [number]));
    }
    static override now(): number {
      return Real.now() + offset;
    }
  } as DateConstructor;
  return (ms) => {
    offset = ms;
  };
}
