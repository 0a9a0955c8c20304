import type { Deps } from "../deps.ts";
import { causedBy, inSpan, isTraced } from "../tracing.ts";
import { traceOf } from "./trace-of.ts";
import type { Run } from "./worker.ts";

/** The run in a span that continues the trace of the webhook, the booking or the notification that it is about. */
export function traced({ database }: Pick<Deps, "database">, run: Run): Run {
  if (!isTraced()) return run;
  return async (claim, signal, exclude) => {
    const { kind, providerId, attempts } = claim;
    const { traceId, traceparent } = (await traceOf(database.kysely, claim)) ?? {};
    const about = {
      name: `run ${kind}`,
      kind: "internal" as const,
      ...(traceId !== undefined && { traceId }),
      attributes: { "shiftpact.provider_id": providerId, "shiftpact.attempts": attempts },
    };
    await inSpan(about, () => run(claim, signal, exclude), causedBy(traceparent));
  };
}
