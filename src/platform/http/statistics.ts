import type { Handlers } from "../../../generated/operations/server.ts";
import type { Deps } from "../deps.ts";
import type { Figures } from "../metrics/figures.ts";
import { readStatistics } from "../metrics/statistics.ts";

const DEFAULT_MINUTES = 60;

interface Parts {
  deps: Deps;
  figures: Pick<Figures, "flush">;
}

/** How the platform is doing over time. */
export function statisticsHandlers({ deps, figures }: Parts): Pick<Handlers<undefined>, "getStatistics"> {
  return {
    getStatistics: async ({ query: { minutes = DEFAULT_MINUTES } }) => {
      // What this process did a moment ago is there; other processes add theirs within seconds.
      await figures.flush();
      return { status: 200, body: await readStatistics(deps, minutes) };
    },
  };
}
