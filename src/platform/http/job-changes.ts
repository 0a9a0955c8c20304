import type { Handlers } from "../../../generated/operations/server.ts";
import { problem } from "../../contract/problem.ts";
import type { Deps } from "../deps.ts";
import { changeAfter, requestChange } from "../jobs/change.ts";
import { readJob } from "./jobs.ts";

/** Changes of times and positions, which the provider has to confirm. */
export function jobChangeHandlers(deps: Deps): Pick<Handlers<undefined>, "changeJob"> {
  return {
    changeJob: async ({ path, body }) => {
      const requested = await requestChange(deps, path.jobId, body);
      const change = await changeAfter(deps, requested);
      switch (change.status) {
        case "confirmed":
          return { status: 200, body: await readJob(deps, path.jobId) };
        case "pending":
          return { status: 202, body: await readJob(deps, path.jobId) };
        case "refused":
          throw problem("provider_refused", { detail: `The shift was not changed: ${change.reason}.` });
      }
    },
  };
}
