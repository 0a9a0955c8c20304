import type { RunEvent } from "../events.ts";

/** Told of everything as it happens; where its output goes was passed in when it was made. */
export type Reporter = (event: RunEvent) => void;

/** One reporter of several. */
export function everyReporter(reporters: readonly Reporter[]): Reporter {
  return (event) => {
    for (const report of reporters) report(event);
  };
}
