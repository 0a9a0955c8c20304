import type { Run } from "./run.ts";

/** A replica of the provider may lag by some seconds. Milliseconds. */
const WAITS_MS = [1_000, 2_000, 4_000];

/** Whether reads show it, now or once a lagging replica has caught up. */
export async function isShownInTime({ target }: Run, isShown: () => Promise<boolean>): Promise<boolean> {
  for (const waitMs of WAITS_MS) {
    if (await isShown()) return true;
    await target.options.wait(waitMs);
  }
  return isShown();
}
