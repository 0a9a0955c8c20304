import { readConfig } from "../../src/platform/config.ts";
import { startPlatform } from "../../src/platform/main.ts";
import { RECONCILE_MS } from "./target.ts";

/**
 * Runs the platform as `shiftpact platform` does, but with short delays: minutes to hours become milliseconds to seconds. The number of
 * attempts and everything else is as in production, but for the limits of mail with offers: what waits for them would count as lost.
 */

const jump = jumpingClock();
const config = { ...readConfig(process.env), offerMail: { everyMs: 0, perDay: 0 } };
const platform = await startPlatform(config, {
  timing: {
    ladderMs: [20, 70, 170, 370],
    answerWithinMs: 300,
    reconcileMs: RECONCILE_MS,
    hourlyMs: 1_000,
    probeMs: 200,
  },
  retries: { baseMs: 20, capMs: 400 },
  providerTimeoutMs: 1_000,
  calls: { perMinute: 0 },
});
process.once("SIGTERM", () => void platform.close().then(() => process.exit(0)));
// A process that is stopped before it is idle sends nothing: the check finds unfinished work.
const reportIdle = () =>
  platform.idle().then(
    () => void process.send?.("idle"),
    () => undefined,
  );
process.on("message", (message: "idle" | { jumpMs: number }) => {
  if (message === "idle") void reportIdle();
  else jump(message.jumpMs);
});
// The parent has ended.
process.once("disconnect", () => process.exit(0));
// Last, because the parent may stop the process right after it.
process.stdout.write(`${JSON.stringify({ listening: true, port: platform.port })}\n`);
void platform.lost.then((error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});

/** Offsets every clock of this thread from the system clock, like a change of the system time. Milliseconds. */
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
