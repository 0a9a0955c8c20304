import { watch } from "node:fs";

/** Editors save in several steps; the folder is read this long after the last one. */
const SETTLE_MS = 50;

export interface Watching {
  /** Resolves when watching has stopped. */
  readonly done: Promise<void>;
  stop(): void;
}

/** Runs `changed` after every edit in a folder, one run at a time; an edit during a run causes another one. */
export function follow(folder: string, changed: () => Promise<void>): Watching {
  let timer: NodeJS.Timeout | undefined;
  let running = false;
  let again = false;
  const run = async (): Promise<void> => {
    again = running;
    if (running) return;
    running = true;
    await changed();
    running = false;
    if (again) await run();
  };
  const watcher = watch(folder, { recursive: true }, (_event, name) => {
    if (name !== null && !/\.(?:ya?ml|json)$/.test(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void run(), SETTLE_MS);
  });
  const done = new Promise<void>((resolve) => watcher.once("close", resolve));
  const stop = (): void => {
    clearTimeout(timer);
    watcher.close();
  };
  return { done, stop };
}
