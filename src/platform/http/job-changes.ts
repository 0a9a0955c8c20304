import type { Handlers } from "../../../generated/operations/server.ts";
import { problem } from "../../contract/problem.ts";
import type { ShiftChange } from "../db/schema.ts";
import type { Deps } from "../deps.ts";
import { requestChange } from "../jobs/change.ts";
import { changeAfter } from "../jobs/outcome.ts";
import { readJob } from "./jobs.ts";

/** The code, and what the provider answered. */
function describe({ reason, reason_params: { status, providerCode } }: ShiftChange): string {
  return [reason, status && `status ${status}`, providerCode].filter(Boolean).join(", ");
}

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
          throw problem("provider_refused", { detail: `The shift was not changed (${describe(change)}).` });
      }
    },
  };
}
